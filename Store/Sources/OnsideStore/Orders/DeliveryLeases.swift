import Foundation
import OnsideAPI
import OnsideCommerce

/// The leases of devices: renewed while a device is heard of, and given to another one that asks for them when it has
/// been silent for long enough.
struct DeliveryLeases: Sendable {
  let database: any Database
  let records: OrderRecords
  let clock: any StoreClock
  /// How long a device may be silent, in seconds.
  let lifetime: TimeInterval

  /// How old a renewal may be before it is written anew, in seconds: most requests write nothing.
  private var slack: TimeInterval { lifetime / 10 }

  /// Renews the leases of a device that has sent a request, before the store answers it: what the answer calls `here`
  /// then stays with the device for nearly a whole lifetime.
  func renew(for caller: OrderCaller) async throws {
    let now = clock.now()
    let holder = OrderRecords.LeaseHolder(caller: caller, renewedBefore: now.addingTimeInterval(-slack))
    guard try await database.read({ [records] in try records.isRenewalDue(holder, in: $0) }) else { return }
    try await database.write(at: now) { [records] in try records.renewLeases(of: holder, in: $0) }
  }

  /// Gives the delivery of an order to the caller's device, unless another one has it; returns the order as it is then.
  /// Claiming it again is fine. Throws ``OrderError/notFound``, or ``OrderError/notFinal`` while it is not paid.
  func claim(_ id: UUID, for caller: OrderCaller) async throws -> Order {
    let now = clock.now()
    return try await database.write(at: now) { [records, lifetime] transaction in
      var order = try records.order(id, of: caller.customer, in: transaction)
      guard order.state.stage == .paid else { throw OrderError.notFinal }
      // An app that names no device may claim, too; it is only not told of `delivery`.
      let device = DeliveryDevice(id: caller.device.id, knowsLeases: true)
      guard let delivery = order.delivery(for: device, at: now, lifetime: lifetime), delivery.holder != .elsewhere
      else { return order }
      let lease = DeliveryLease(device: device.id, seenAt: now)
      order.lease = lease
      try records.setLease(lease, of: id, in: transaction)
      return order
    }
  }
}
