import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce

/// The leases of devices: renewed while a device is heard of, and given to another one that asks for them when it has
/// been silent for long enough. No change is numbered for either: a lease is no news, and would wake every device.
struct DeliveryLeases: Sendable {
  let database: any Database
  let records: OrderRecords
  let clock: any StoreClock
  /// How long a device may be silent, in seconds.
  let lifetime: TimeInterval

  /// How old a renewal may be before it is written anew, in seconds: most requests write nothing.
  private var slack: TimeInterval { lifetime / 10 }

  /// Notes that a device was heard of, before it is answered: what the answer says to be its own stays so for a while.
  func renew(account: String, app: String, _ device: DeliveryDevice) async throws {
    let now = clock.now()
    let due: [SQLValue] = [
      .text(account), .text(app), .text(device.id), .date(now.addingTimeInterval(-slack)),
    ]
    let isDue = try await database.read {
      try $0.row("SELECT 1 AS one FROM orders WHERE \(Self.dueCondition) LIMIT 1", due) != nil
    }
    guard isDue else { return }
    let renewal = due + [.date(now)]
    try await database.write { try $0.execute("UPDATE orders SET held_at = $5 WHERE \(Self.dueCondition)", renewal) }
  }

  private static let dueCondition = """
    account_id = $1 AND app_id = $2 AND held_by = $3 AND held_at < $4 AND state = 'paid' AND finished_at IS NULL
    AND revoked_at IS NULL
    """

  /// Gives the delivery of an order to a device, unless another one has it; returns the order as it is then. Claiming
  /// it again is fine. Throws `not_found`, or `order_not_final` while it is not paid.
  func claim(_ id: UUID, account: String, app: String, by device: DeliveryDevice) async throws -> Order {
    let now = clock.now()
    return try await database.write { [records, lifetime] connection in
      guard var order = try records.order(id, connection), order.accountID == account, order.appID == app else {
        throw Problem.notFound
      }
      guard order.state.stage == .paid else { throw Problem(.conflict, .orderNotFinal) }
      // An app that names no device may claim, too; it is only not told of `delivery`.
      let caller = DeliveryDevice(id: device.id, knowsLeases: true)
      guard let delivery = order.delivery(for: caller, at: now, lifetime: lifetime), delivery.holder != .elsewhere
      else { return order }
      order.lease = DeliveryLease(device: device.id, seenAt: now)
      try connection.execute(
        "UPDATE orders SET held_by = $2, held_at = $3 WHERE id = $1",
        [.text(id.lowercase), .text(device.id), .date(now)])
      return order
    }
  }
}
