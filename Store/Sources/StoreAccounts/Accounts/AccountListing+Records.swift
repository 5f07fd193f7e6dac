import Foundation
import OnsideAPI
public import StoreBase

extension AccountListing {
  private static let columns = """
    SELECT id, country, created_at, removed_at,
      (SELECT count(*) FROM orders WHERE account_id = accounts.id) AS orders FROM accounts
    """

  /// The newest accounts, the newest first.
  public static func newest(_ limit: Int, in connection: any SQLConnection) throws -> [AccountListing] {
    try connection.rows("\(columns) ORDER BY created_at DESC, id DESC LIMIT $1", [.integer(Int64(limit))])
      .map { try AccountListing($0) }
  }

  /// One account, or nil.
  public static func account(_ id: String, in connection: any SQLConnection) throws -> AccountListing? {
    try connection.row("\(columns) WHERE id = $1", [.text(id)]).map { try AccountListing($0) }
  }

  /// The accounts that a number or address logs in to: several only for a phone number that an earlier version stored
  /// in several spellings.
  public static func accounts(of contact: Contact, in connection: any SQLConnection) throws -> [AccountListing] {
    try AccountRecords.accounts(identity: .contact(contact), in: connection).compactMap {
      try account($0.id.description, in: connection)
    }
  }

  /// What logs in to an account, masked, in the order in which it was proved.
  public static func maskedLogins(of id: String, in connection: any SQLConnection) throws -> [String] {
    guard let id = AccountID(id), let known = try AccountRecords.account(id: id, in: connection) else { return [] }
    return known.identities.map(\.masked)
  }

  private init(_ row: SQLRow) throws {
    id = try row.text("id")
    country = try row.text("country")
    createdAt = try row.date("created_at")
    removedAt = try row.optionalDate("removed_at")
    orders = Int(try row.integer("orders"))
  }
}
