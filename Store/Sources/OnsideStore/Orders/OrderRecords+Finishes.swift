import Foundation
import OnsideCommerce

/// The devices that have finished an order: a revocation is delivered to these (QUE-19).
extension OrderRecords {
  /// Records that a device has finished an order; a duplicate counts as the order that has paid for it. An app that
  /// names no device is not recorded.
  func recordFinish(_ id: UUID, on device: DeliveryDevice, in transaction: StoreTransaction) throws {
    guard device.knowsLeases else { return }
    try transaction.execute(
      """
      INSERT INTO order_finishes(order_id, device) SELECT COALESCE(duplicate_of, id), $2 FROM orders WHERE id = $1
      ON CONFLICT(order_id, device) DO NOTHING
      """, [.text(id.lowercase), .text(device.id)])
  }

  /// The orders among some that the caller's device has finished.
  ///
  /// - Parameter goesOn: whether the device continues from a cursor. Then it may have finished the orders of which no
  ///   device is recorded: those from before devices were recorded.
  func finished(
    among orders: [Order], by caller: OrderCaller, goesOn: Bool, in connection: any SQLConnection
  ) throws -> Set<UUID> {
    var finished: Set<UUID> = []
    for order in orders where order.state.revocation != nil {
      let rows = try connection.rows(
        "SELECT device FROM order_finishes WHERE order_id = $1", [.text(order.id.lowercase)])
      let devices = try rows.map { try $0.text("device") }
      let isLegacy = devices.isEmpty && goesOn && order.state.finished
      if isLegacy || devices.contains(caller.device.id) { finished.insert(order.id) }
    }
    return finished
  }
}
