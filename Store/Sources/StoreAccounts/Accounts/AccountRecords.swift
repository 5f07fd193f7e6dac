package import Foundation
package import OnsideAPI
package import OnsideCommerce
package import StoreBase

/// The table of accounts. Every call runs inside the caller's transaction.
package enum AccountRecords {
  package static func account(id: AccountID, in connection: any SQLConnection) throws -> Account? {
    let rows = try connection.rows(
      """
      SELECT accounts.id, country, created_at, removed_at, contact, label, verified_at
      FROM accounts LEFT JOIN identities ON account_id = accounts.id WHERE accounts.id = $1
      ORDER BY verified_at, contact
      """, [.text(id.description)])
    return try rows.first.map { first in
      try account(first, identities: try rows.compactMap(ProvedIdentity.init(row:)))
    }
  }

  /// The region of an account, which decides what it may buy and at which price; nil when the account was removed, or
  /// when the id is that of a removed account's orders.
  package static func country(of id: String, in connection: any SQLConnection) throws -> CountryCode? {
    let row = try connection.row("SELECT country FROM accounts WHERE id = $1 AND removed_at IS NULL", [.text(id)])
    return try row?.country("country")
  }

  /// Returns the account of an identity; of several, that of its own spelling. See ``accounts(identity:in:)``.
  package static func account(identity: Identity, in connection: any SQLConnection) throws -> Account? {
    try accounts(identity: identity, in: connection).first
  }

  /// Adds an account, unless the identity has one already; returns the identity's account.
  static func insert(
    id: AccountID, proved: ProvedIdentity, country: CountryCode, in transaction: StoreTransaction
  ) throws -> Account? {
    if let earlier = try account(identity: proved.identity, in: transaction) { return earlier }
    if try addIdentity(proved, to: id, in: transaction) {
      try transaction.execute(
        "INSERT INTO accounts(id, country, created_at) VALUES ($1, $2, $3)",
        [.text(id.description), .text(country.alpha2), .date(transaction.now)])
    }
    return try account(identity: proved.identity, in: transaction)
  }

  /// Adds an identity to an account; false when the identity has an account already.
  static func addIdentity(_ proved: ProvedIdentity, to id: AccountID, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute(
      """
      INSERT INTO identities(contact, account_id, verified_at, label) VALUES ($1, $2, $3, $4)
      ON CONFLICT(contact) DO NOTHING
      """,
      [.text(proved.identity.text), .text(id.description), .date(proved.provedAt), .text(proved.label)]) == 1
  }

  /// Removes an identity from an account, unless it is the last one; false when nothing was removed.
  package static func removeIdentity(
    _ identity: Identity, from id: AccountID, in transaction: StoreTransaction
  ) throws -> Bool {
    try transaction.execute(
      """
      DELETE FROM identities WHERE contact = $1 AND account_id = $2
      AND (SELECT COUNT(*) FROM identities WHERE account_id = $2) > 1
      """, [.text(identity.text), .text(id.description)]) == 1
  }

  package static func setCountry(of id: AccountID, to country: CountryCode, in transaction: StoreTransaction) throws
    -> Bool
  {
    try transaction.execute(
      "UPDATE accounts SET country = $2 WHERE id = $1 AND country <> $2 AND removed_at IS NULL",
      [.text(id.description), .text(country.alpha2)]) > 0
  }

  package static func remove(id: AccountID, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE accounts SET removed_at = $2 WHERE id = $1 AND removed_at IS NULL",
      [.text(id.description), .date(transaction.storeNow)])
    try transaction.execute("DELETE FROM identities WHERE account_id = $1", [.text(id.description)])
  }

  /// The time at which an account was removed: nil without such an account, else its removal, if it was removed.
  package static func removal(of id: String, in connection: any SQLConnection) throws -> Date?? {
    try connection.row("SELECT removed_at FROM accounts WHERE id = $1", [.text(id)])
      .map { try $0.optionalDate("removed_at") }
  }

  private static func account(_ row: SQLRow, identities: [ProvedIdentity]) throws -> Account {
    guard let id = AccountID(try row.text("id")) else {
      throw StorageError.unexpectedValue(column: "id", expected: "a UUID")
    }
    return Account(
      id: id, identities: identities, country: try row.country("country"), createdAt: try row.date("created_at"),
      isRemoved: try row.optionalDate("removed_at") != nil)
  }
}

extension ProvedIdentity {
  fileprivate init?(row: SQLRow) throws {
    guard let identity = try row.optionalText("contact").flatMap(Identity.init(stored:)) else { return nil }
    self.init(
      identity: identity, label: try row.optionalText("label"), provedAt: try row.date("verified_at"))
  }
}
