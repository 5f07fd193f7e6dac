public import Foundation
public import OnsideAPI
public import OnsideCommerce

/// A buyer's account: the identities that log in to it, and its region.
public struct Account: Sendable, Hashable {
  /// The account's id, a UUID of version 7.
  public let id: AccountID
  /// The proved identities that log in to the account, the oldest first; empty once the account was removed.
  public let identities: [ProvedIdentity]
  /// The region that the account buys in.
  public let country: CountryCode
  /// When the account was created.
  public let createdAt: Date
  /// True once the account was removed: its logins and sessions are refused.
  public let isRemoved: Bool

  /// The account's phone numbers and e-mail addresses, the oldest first.
  public var contacts: [Contact] { identities.compactMap(\.identity.contact) }

  /// The account's oldest phone number.
  public var phone: PhoneNumber? {
    contacts.lazy.compactMap { if case .phone(let phone) = $0 { phone } else { nil } }.first
  }

  /// The masked label of the oldest identity, shown to the account's owner; empty once the account was removed.
  var masked: String { identities.first?.masked ?? "" }
}

/// The table of accounts. Every call runs inside the caller's transaction.
enum AccountRecords {
  static func account(id: AccountID, _ connection: any SQLConnection) throws -> Account? {
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

  /// Whether an account with this id exists and was not removed. Orders of a removed account have an id without an
  /// account.
  static func isThere(id: String, _ connection: any SQLConnection) throws -> Bool {
    try connection.row("SELECT 1 FROM accounts WHERE id = $1 AND removed_at IS NULL", [.text(id)]) != nil
  }

  static func account(identity: Identity, _ connection: any SQLConnection) throws -> Account? {
    let row = try connection.row("SELECT account_id FROM identities WHERE contact = $1", [.text(identity.text)])
    return try row.flatMap { AccountID(try $0.text("account_id")) }.flatMap { try account(id: $0, connection) }
  }

  /// Adds an account, unless the identity has one already; returns the identity's account.
  static func insert(
    id: AccountID, proved: ProvedIdentity, country: CountryCode, in transaction: StoreTransaction
  ) throws -> Account? {
    if try addIdentity(proved, to: id, transaction) {
      try transaction.execute(
        "INSERT INTO accounts(id, country, created_at) VALUES ($1, $2, $3)",
        [.text(id.description), .text(country.alpha2), .date(transaction.now)])
    }
    return try account(identity: proved.identity, transaction)
  }

  /// Adds an identity to an account; false when the identity has an account already.
  static func addIdentity(_ proved: ProvedIdentity, to id: AccountID, _ connection: any SQLConnection) throws -> Bool {
    try connection.execute(
      """
      INSERT INTO identities(contact, account_id, verified_at, label) VALUES ($1, $2, $3, $4)
      ON CONFLICT(contact) DO NOTHING
      """,
      [.text(proved.identity.text), .text(id.description), .date(proved.provedAt), .text(proved.label)]) == 1
  }

  /// Removes an identity from an account, unless it is the last one; false when nothing was removed.
  static func removeIdentity(_ identity: Identity, from id: AccountID, _ connection: any SQLConnection) throws -> Bool {
    try connection.execute(
      """
      DELETE FROM identities WHERE contact = $1 AND account_id = $2
      AND (SELECT COUNT(*) FROM identities WHERE account_id = $2) > 1
      """, [.text(identity.text), .text(id.description)]) == 1
  }

  static func setCountry(of id: AccountID, to country: CountryCode, _ connection: any SQLConnection) throws -> Bool {
    try connection.execute(
      "UPDATE accounts SET country = $2 WHERE id = $1 AND country <> $2 AND removed_at IS NULL",
      [.text(id.description), .text(country.alpha2)]) > 0
  }

  static func remove(id: AccountID, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE accounts SET removed_at = $2 WHERE id = $1 AND removed_at IS NULL",
      [.text(id.description), .date(transaction.now)])
    try transaction.execute("DELETE FROM identities WHERE account_id = $1", [.text(id.description)])
  }

  private static func account(_ row: SQLRow, identities: [ProvedIdentity]) throws -> Account {
    guard let id = AccountID(try row.text("id")), let country = CountryCode(alpha2: try row.text("country")) else {
      throw StorageError.unexpectedValue(column: "accounts", expected: "a UUID and an ISO 3166-1 code")
    }
    return Account(
      id: id, identities: identities, country: country, createdAt: try row.date("created_at"),
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
