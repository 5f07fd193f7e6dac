public import Foundation

/// An account in the operator's listings, without its phone number.
public struct AccountListing: Sendable, Hashable {
  /// The account's id.
  public let id: String
  /// The account's region.
  public let country: String
  /// When it was created.
  public let createdAt: Date
  /// When it was removed.
  public let removedAt: Date?
  /// The number of its orders.
  public let orders: Int

  private static let columns = """
    SELECT id, country, created_at, removed_at,
      (SELECT count(*) FROM orders WHERE account_id = accounts.id) AS orders FROM accounts
    """

  /// The newest accounts, the newest first.
  public static func newest(_ limit: Int, _ connection: any SQLConnection) throws -> [AccountListing] {
    try connection.rows("\(columns) ORDER BY created_at DESC, id DESC LIMIT $1", [.integer(Int64(limit))])
      .map { try AccountListing($0) }
  }

  /// One account, or nil.
  public static func account(_ id: String, _ connection: any SQLConnection) throws -> AccountListing? {
    try connection.row("\(columns) WHERE id = $1", [.text(id)]).map { try AccountListing($0) }
  }

  private init(_ row: SQLRow) throws {
    id = try row.text("id")
    country = try row.text("country")
    createdAt = try row.date("created_at")
    removedAt = try row.optionalDate("removed_at")
    orders = Int(try row.integer("orders"))
  }
}
