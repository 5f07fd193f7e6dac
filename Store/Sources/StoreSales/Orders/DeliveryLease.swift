package import Foundation
import OnsideAPI
import OnsideCommerce

/// The lease of a device on the delivery of a paid consumable (QUE-22).
package struct DeliveryLease: Hashable, Sendable {
  /// ``DeliveryDevice/id`` of the device.
  package var device: String
  /// When the store last wrote down a request of that device.
  package var seenAt: Date
}

/// The device that sends a request, as an owner of delivery leases.
struct DeliveryDevice: Hashable, Sendable {
  /// The pseudonym that the app sends for its installation and this account, else the session's id: an app older than
  /// leases sends none, and delivers every purchase that it receives.
  let id: String
  /// Whether the app supports leases: only then do answers contain them.
  let knowsLeases: Bool
}

extension Order {
  /// Whether one device alone may deliver the order: a consumable that is paid, not refunded and not finished.
  var isLeased: Bool {
    state.stage == .paid && !state.finished && state.revocation == nil && duplicateOf == nil
      && product.message.kind == .consumable
  }

  /// The lease as `device` sees it: held here, held elsewhere for some seconds, or free. Nil for an order that every
  /// device receives. The ordering device's lease lasts at least `lifetime` from the payment, however long that took.
  func delivery(for device: DeliveryDevice, at now: Date, lifetime: TimeInterval) -> DeliveryMessage? {
    guard isLeased, device.knowsLeases else { return nil }
    guard let lease else { return DeliveryMessage(.free) }
    if lease.device == device.id { return DeliveryMessage(.here) }
    let end = max(lease.seenAt, paidAt ?? lease.seenAt).addingTimeInterval(lifetime)
    let seconds = end.timeIntervalSince(now)
    return seconds > 0 ? DeliveryMessage(.elsewhere, seconds: Int(seconds.rounded(.up))) : DeliveryMessage(.free)
  }
}
