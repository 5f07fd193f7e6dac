import Foundation
import StoreBase

/// Queries of grants by the order that they replace.
enum GrantRecords {
  /// Whether a grant that is not revoked replaces an order.
  static func hasGrant(_ order: UUID, in connection: any SQLConnection) throws -> Bool {
    try !causes(of: order, in: connection).isEmpty
  }

  /// Whether the store has granted an order again because it has the money. An operator's grant says nothing of the
  /// order's money.
  static func isReinstated(_ order: UUID, in connection: any SQLConnection) throws -> Bool {
    try causes(of: order, in: connection).contains { !$0.isByOperator }
  }

  private static func causes(of order: UUID, in connection: any SQLConnection) throws -> [GrantCause] {
    try connection.rows(
      """
      SELECT g.cause FROM orders o JOIN orders g
        ON g.account_id = o.account_id AND g.app_id = o.app_id AND g.reinstates = o.id
      WHERE o.id = $1 AND g.revoked_at IS NULL
      """, [.text(order.lowercase)]
    ).map { GrantCause(text: try $0.optionalText("cause") ?? "") }
  }
}
