package import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
package import StoreBase

/// The leases of devices: renewed while a device is heard of, and given to another one that asks for them when it has
/// been silent for long enough.
package struct DeliveryLeases: Sendable {
  package let database: any Database
  package let records: OrderRecords
  package let clock: any StoreClock
  package let environment: StoreEnvironment
  /// How long a device may be silent, in seconds.
  package let lifetime: TimeInterval

  package init(
    database: any Database, records: OrderRecords, clock: any StoreClock, environment: StoreEnvironment,
    lifetime: TimeInterval
  ) {
    self.database = database
    self.records = records
    self.clock = clock
    self.environment = environment
    self.lifetime = lifetime
  }

  /// How old a renewal may be before it is written anew, in seconds: most requests write nothing.
  private var slack: TimeInterval { lifetime / 10 }

  /// Renews the leases of a device that has sent a request, before the store answers it: what the answer calls `here`
  /// then stays with the device for nearly a whole lifetime.
  func renew(for caller: OrderCaller) async throws {
    let now = clock.now()
    let isDue = try await database.read(at: now) { [self] transaction in
      let transaction = try transaction.at(timeOf: caller.customer.account, in: environment)
      return try records.isRenewalDue(holder(caller, at: transaction.now), in: transaction)
    }
    guard isDue else { return }
    try await database.write(at: now) { [self] transaction in
      let transaction = try transaction.at(timeOf: caller.customer.account, in: environment)
      try records.renewLeases(of: holder(caller, at: transaction.now), in: transaction)
    }
  }

  private func holder(_ caller: OrderCaller, at now: Date) -> OrderRecords.LeaseHolder {
    OrderRecords.LeaseHolder(caller: caller, renewedBefore: now.addingTimeInterval(-slack))
  }

  /// Gives the delivery of an order to the caller's device, unless another one has it; returns the order as it is then.
  /// Claiming it again is fine. Throws ``OrderError/notFound``, or ``OrderError/notFinal`` while it is not paid.
  func claim(_ id: UUID, for caller: OrderCaller) async throws -> Order {
    try await database.write(at: clock.now()) { [records, lifetime, environment] transaction in
      let now = try transaction.at(timeOf: caller.customer.account, in: environment).now
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
