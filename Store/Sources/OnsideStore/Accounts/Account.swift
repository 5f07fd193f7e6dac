public import Foundation
public import OnsideAPI
public import OnsideCommerce

/// Somebody who buys: a phone number and a region.
public struct Account: Sendable, Hashable {
  /// The account's id, a UUID of version 7.
  public let id: AccountID
  /// The phone number that logs in to it; nil once the account was removed.
  public let phone: PhoneNumber?
  /// The region that it buys in.
  public let country: CountryCode
  /// When it was made.
  public let createdAt: Date
  /// True once it was removed: it cannot log in, and its sessions are refused.
  public let isRemoved: Bool
}

/// The table of accounts. Every call runs inside the caller's transaction.
enum AccountRecords {
  private static let columns = "id, phone, country, created_at, removed_at"

  static func account(_ connection: any SQLConnection, id: AccountID) throws -> Account? {
    let sql = "SELECT \(columns) FROM accounts WHERE id = $1"
    return try connection.row(sql, [.text(id.description)]).flatMap(account)
  }

  static func account(_ connection: any SQLConnection, phone: PhoneNumber) throws -> Account? {
    let sql = "SELECT \(columns) FROM accounts WHERE phone = $1"
    return try connection.row(sql, [.text(phone.e164)]).flatMap(account)
  }

  /// Adds an account, unless the number has one already; returns the one that the number has now.
  static func insert(
    _ connection: any SQLConnection, id: AccountID, phone: PhoneNumber, country: CountryCode, now: Date
  ) throws -> Account? {
    try connection.execute(
      "INSERT INTO accounts(id, phone, country, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT(phone) DO NOTHING",
      [.text(id.description), .text(phone.e164), .text(country.alpha2), .date(now)])
    return try account(connection, phone: phone)
  }

  static func setCountry(_ connection: any SQLConnection, of id: AccountID, to country: CountryCode) throws -> Bool {
    try connection.execute(
      "UPDATE accounts SET country = $2 WHERE id = $1 AND country <> $2 AND removed_at IS NULL",
      [.text(id.description), .text(country.alpha2)]) > 0
  }

  static func remove(_ connection: any SQLConnection, id: AccountID, now: Date) throws {
    try connection.execute(
      "UPDATE accounts SET phone = NULL, removed_at = $2 WHERE id = $1 AND removed_at IS NULL",
      [.text(id.description), .date(now)])
  }

  private static func account(_ row: SQLRow) throws -> Account? {
    guard let id = AccountID(try row.text("id")), let country = CountryCode(alpha2: try row.text("country")) else {
      throw StorageError.unexpectedValue(column: "accounts", expected: "a UUID and an ISO 3166-1 code")
    }
    return Account(
      id: id, phone: try row.optionalText("phone").flatMap { try? PhoneNumber(parsing: $0) }, country: country,
      createdAt: try row.date("created_at"), isRemoved: try row.optionalDate("removed_at") != nil)
  }
}
