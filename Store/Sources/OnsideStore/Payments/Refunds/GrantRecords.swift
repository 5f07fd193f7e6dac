import Foundation

/// Queries of grants by the order that they replace.
enum GrantRecords {
  /// Whether a grant that is not revoked replaces an order.
  static func isReinstated(_ order: UUID, in connection: any SQLConnection) throws -> Bool {
    try connection.row(
      """
      SELECT 1 AS found FROM orders o JOIN orders g
        ON g.account_id = o.account_id AND g.app_id = o.app_id AND g.reinstates = o.id
      WHERE o.id = $1 AND g.revoked_at IS NULL LIMIT 1
      """, [.text(order.lowercase)]) != nil
  }
}
