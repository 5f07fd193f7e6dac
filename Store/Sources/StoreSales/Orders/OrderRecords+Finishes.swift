import Foundation
import OnsideCommerce
import StoreBase

/// The devices that have finished an order: a revocation is delivered to these (QUE-19).
extension OrderRecords {
  /// The name of a device that is not known: its app names none, or finished the order before devices were recorded.
  private static let unknownDevice = ""

  /// Records that a device finishes an order; a duplicate counts as the order that has paid for it. Call it before the
  /// order is marked as finished: an order that was finished without a record has an unknown device.
  func recordFinish(_ id: UUID, on device: DeliveryDevice, in transaction: StoreTransaction) throws {
    try transaction.execute(
      """
      INSERT INTO order_finishes(order_id, device)
      SELECT paying.id, $2 FROM orders o JOIN orders paying ON paying.id = COALESCE(o.duplicate_of, o.id)
      WHERE o.id = $1 AND paying.finished_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM order_finishes f WHERE f.order_id = paying.id)
      """, [.text(id.lowercase), .text(Self.unknownDevice)])
    try transaction.execute(
      """
      INSERT INTO order_finishes(order_id, device) SELECT COALESCE(duplicate_of, id), $2 FROM orders WHERE id = $1
      ON CONFLICT(order_id, device) DO NOTHING
      """, [.text(id.lowercase), .text(device.knowsLeases ? device.id : Self.unknownDevice)])
  }

  private func finishes(of id: UUID, in connection: any SQLConnection) throws -> Set<String> {
    let rows = try connection.rows("SELECT device FROM order_finishes WHERE order_id = $1", [.text(id.lowercase)])
    return Set(try rows.map { try $0.text("device") })
  }

  /// The orders among some that the caller's device has finished.
  ///
  /// - Parameter goesOn: whether the device continues from a cursor. Then it may be the unknown device of an order.
  func finished(
    among orders: [Order], by caller: OrderCaller, goesOn: Bool, in connection: any SQLConnection
  ) throws -> Set<UUID> {
    var finished: Set<UUID> = []
    for order in orders where order.state.revocation != nil {
      let devices = try finishes(of: order.id, in: connection)
      let hasUnknown = order.state.finished && (devices.isEmpty || devices.contains(Self.unknownDevice))
      if (hasUnknown && goesOn) || devices.contains(caller.device.id) { finished.insert(order.id) }
    }
    return finished
  }
}
