import Foundation
import OnsideCommerce
public import StoreBase

extension OrderListing {
  private static let columns = """
    SELECT id, app_id, account_id, product_id, quantity, country, currency, amount, state, created_at, paid_at,
      reason, expires_at, finished_at, revoked_at, revocation_reason, duplicate_of FROM orders
    """

  /// The newest orders, the newest first, of one app or account or of all.
  public static func newest(
    _ limit: Int, app: String? = nil, account: String? = nil, in connection: any SQLConnection
  ) throws -> [OrderListing] {
    let filters = [("app_id", app), ("account_id", account)].compactMap { column, value in value.map { (column, $0) } }
    let conditions = filters.enumerated().map { index, filter in "\(filter.0) = $\(index + 2)" }
    return try connection.rows(
      """
      \(columns) WHERE \(conditions.isEmpty ? "1 = 1" : conditions.joined(separator: " AND "))
      ORDER BY created_at DESC, id DESC LIMIT $1
      """, [.integer(limit)] + filters.map { .text($0.1) }
    ).map { try OrderListing($0) }
  }

  /// One order, or nil.
  public static func order(_ id: String, in connection: any SQLConnection) throws -> OrderListing? {
    try connection.row("\(columns) WHERE id = $1", [.text(id)]).map { try OrderListing($0) }
  }

  private init(_ row: SQLRow) throws {
    id = try row.text("id")
    app = try row.text("app_id")
    account = try row.text("account_id")
    product = try row.text("product_id")
    quantity = Int(try row.integer("quantity"))
    country = try row.text("country")
    price = Money(minorUnits: try row.integer("amount"), currency: try row.currency("currency"))
    state = try row.text("state")
    createdAt = try row.date("created_at")
    paidAt = try row.optionalDate("paid_at")
    reason = TransactionReason(rawValue: try row.text("reason"))
    expiresAt = try row.optionalDate("expires_at")
    finishedAt = try row.optionalDate("finished_at")
    revokedAt = try row.optionalDate("revoked_at")
    revocationReason = try row.optionalText("revocation_reason")
    duplicateOf = try row.optionalText("duplicate_of")
  }
}
