public import Foundation
public import OnsideAPI
public import OnsideCommerce

/// Somebody who buys: ways to log in, and a region.
public struct Account: Sendable, Hashable {
  /// The account's id, a UUID of version 7.
  public let id: AccountID
  /// What its owner has proved, the oldest first, and logs in with; empty once the account was removed.
  public let contacts: [Contact]
  /// The region that it buys in.
  public let country: CountryCode
  /// When it was made.
  public let createdAt: Date
  /// True once it was removed: it cannot log in, and its sessions are refused.
  public let isRemoved: Bool

  /// The oldest phone number that it has.
  public var phone: PhoneNumber? {
    contacts.lazy.compactMap { if case .phone(let phone) = $0 { phone } else { nil } }.first
  }

  /// What is shown of it to its owner; empty once it was removed.
  var masked: String { contacts.first?.masked ?? "" }
}

/// The table of accounts. Every call runs inside the caller's transaction.
enum AccountRecords {
  static func account(_ connection: any SQLConnection, id: AccountID) throws -> Account? {
    let rows = try connection.rows(
      """
      SELECT accounts.id, country, created_at, removed_at, contact
      FROM accounts LEFT JOIN identities ON account_id = accounts.id WHERE accounts.id = $1
      ORDER BY verified_at, contact
      """, [.text(id.description)])
    return try rows.first.map { first in
      try account(
        first, contacts: try rows.compactMap { try $0.optionalText("contact").flatMap(Contact.init(stored:)) })
    }
  }

  static func account(_ connection: any SQLConnection, contact: Contact) throws -> Account? {
    let row = try connection.row("SELECT account_id FROM identities WHERE contact = $1", [.text(contact.text)])
    return try row.flatMap { AccountID(try $0.text("account_id")) }.flatMap { try account(connection, id: $0) }
  }

  /// Adds an account, unless the contact has one already; returns the one that the contact has now.
  static func insert(
    _ connection: any SQLConnection, id: AccountID, contact: Contact, country: CountryCode, now: Date
  ) throws -> Account? {
    let isNew = try addIdentity(connection, contact, to: id, now: now)
    if isNew {
      try connection.execute(
        "INSERT INTO accounts(id, country, created_at) VALUES ($1, $2, $3)",
        [.text(id.description), .text(country.alpha2), .date(now)])
    }
    return try account(connection, contact: contact)
  }

  /// Gives an account one more way to log in; false when the contact has an account already.
  private static func addIdentity(
    _ connection: any SQLConnection, _ contact: Contact, to id: AccountID, now: Date
  ) throws -> Bool {
    try connection.execute(
      "INSERT INTO identities(contact, account_id, verified_at) VALUES ($1, $2, $3) ON CONFLICT(contact) DO NOTHING",
      [.text(contact.text), .text(id.description), .date(now)]) == 1
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

  private static func account(_ row: SQLRow, contacts: [Contact]) throws -> Account {
    guard let id = AccountID(try row.text("id")), let country = CountryCode(alpha2: try row.text("country")) else {
      throw StorageError.unexpectedValue(column: "accounts", expected: "a UUID and an ISO 3166-1 code")
    }
    return Account(
      id: id, contacts: contacts, country: country, createdAt: try row.date("created_at"),
      isRemoved: try row.optionalDate("removed_at") != nil)
  }
}
