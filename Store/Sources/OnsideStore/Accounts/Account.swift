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
  static func account(_ connection: any SQLConnection, id: AccountID) throws -> Account? {
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
  static func isThere(_ connection: any SQLConnection, id: String) throws -> Bool {
    try connection.row("SELECT 1 FROM accounts WHERE id = $1 AND removed_at IS NULL", [.text(id)]) != nil
  }

  static func account(_ connection: any SQLConnection, identity: Identity) throws -> Account? {
    let row = try connection.row("SELECT account_id FROM identities WHERE contact = $1", [.text(identity.text)])
    return try row.flatMap { AccountID(try $0.text("account_id")) }.flatMap { try account(connection, id: $0) }
  }

  /// Adds an account, unless the identity has one already; returns the identity's account.
  static func insert(
    _ connection: any SQLConnection, id: AccountID, proved: ProvedIdentity, country: CountryCode, now: Date
  ) throws -> Account? {
    if try addIdentity(connection, proved, to: id) {
      try connection.execute(
        "INSERT INTO accounts(id, country, created_at) VALUES ($1, $2, $3)",
        [.text(id.description), .text(country.alpha2), .date(now)])
    }
    return try account(connection, identity: proved.identity)
  }

  /// Adds an identity to an account; false when the identity has an account already.
  static func addIdentity(
    _ connection: any SQLConnection, _ proved: ProvedIdentity, to id: AccountID
  ) throws -> Bool {
    try connection.execute(
      """
      INSERT INTO identities(contact, account_id, verified_at, label) VALUES ($1, $2, $3, $4)
      ON CONFLICT(contact) DO NOTHING
      """,
      [.text(proved.identity.text), .text(id.description), .date(proved.provedAt), .text(proved.label)]) == 1
  }

  /// Removes an identity from an account, unless it is the last one; false when nothing was removed.
  static func removeIdentity(
    _ connection: any SQLConnection, _ identity: Identity, from id: AccountID
  ) throws -> Bool {
    try connection.execute(
      """
      DELETE FROM identities WHERE contact = $1 AND account_id = $2
      AND (SELECT COUNT(*) FROM identities WHERE account_id = $2) > 1
      """, [.text(identity.text), .text(id.description)]) == 1
  }

  static func setCountry(_ connection: any SQLConnection, of id: AccountID, to country: CountryCode) throws -> Bool {
    try connection.execute(
      "UPDATE accounts SET country = $2 WHERE id = $1 AND country <> $2 AND removed_at IS NULL",
      [.text(id.description), .text(country.alpha2)]) > 0
  }

  static func remove(_ connection: any SQLConnection, id: AccountID, now: Date) throws {
    try connection.execute(
      "UPDATE accounts SET removed_at = $2 WHERE id = $1 AND removed_at IS NULL", [.text(id.description), .date(now)])
    try connection.execute("DELETE FROM identities WHERE account_id = $1", [.text(id.description)])
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
