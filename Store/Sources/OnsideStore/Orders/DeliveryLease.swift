package import Foundation
import OnsideAPI
import OnsideCommerce

/// Which device may deliver a paid consumable, and since when the store has heard of it (QUE-22).
package struct DeliveryLease: Hashable, Sendable {
  /// ``DeliveryDevice/id`` of the device.
  package var device: String
  /// When the store last heard of that device.
  package var seenAt: Date
}

/// The device that a request comes from, as far as deliveries are concerned.
struct DeliveryDevice: Hashable, Sendable {
  /// The pseudonym that the app names for its installation and this account, else its session: an app of before leases names none, and delivers what it
  /// hears of.
  let id: String
  /// Whether the app knows leases: only then is it told of them.
  let knowsLeases: Bool
}

extension Order {
  /// True for what is delivered on one device only: a consumable that is paid, kept and not finished.
  var isLeased: Bool {
    state.stage == .paid && !state.finished && state.revocation == nil && duplicateOf == nil
      && product.message.kind == .consumable
  }

  /// Who may deliver it, as a device is told; nil for what goes to all devices. Whoever has ordered it may from the
  /// payment on, however long that took.
  func delivery(for device: DeliveryDevice, at now: Date, lifetime: TimeInterval) -> DeliveryMessage? {
    guard isLeased, device.knowsLeases else { return nil }
    guard let lease else { return DeliveryMessage(.free) }
    if lease.device == device.id { return DeliveryMessage(.here) }
    let end = max(lease.seenAt, paidAt ?? lease.seenAt).addingTimeInterval(lifetime)
    let seconds = end.timeIntervalSince(now)
    return seconds > 0 ? DeliveryMessage(.elsewhere, seconds: Int(seconds.rounded(.up))) : DeliveryMessage(.free)
  }
}
