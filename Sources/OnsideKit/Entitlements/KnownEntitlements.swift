package import Foundation
package import OnsideAPI
package import OnsideCommerce

/// A list of the store as this device has it, and what it says at a moment of this device's clock. Pure.
///
/// The device's clock may be wrong: the list's moments are counted from when the list came. A clock that was set back
/// gains nothing: nothing may be used until the store has been reached.
package struct KnownEntitlements: Hashable, Sendable {
  package let account: AccountID
  package let list: EntitlementList
  /// When the list came, by the device's clock.
  package let receivedAt: Date
  /// The latest moment that the device's clock has shown since.
  package private(set) var latest: Date

  /// How far a clock may go back, in seconds, without having been set back.
  package static let clockTolerance: TimeInterval = 3600
  /// How old a list may be before another one is asked for, in seconds.
  static let refreshAge: TimeInterval = 86_400
  /// How long before the end of access the store is asked about the renewal, in seconds. It charges an hour before.
  static let renewalLead: TimeInterval = 1800

  package init(_ list: EntitlementList, of account: AccountID, receivedAt: Date, latest: Date? = nil) {
    self.list = list
    self.account = account
    self.receivedAt = receivedAt
    self.latest = max(receivedAt, latest ?? receivedAt)
  }

  /// Takes in what the clock shows.
  package mutating func see(_ now: Date) { latest = max(latest, now) }

  /// Whether the clock has been set back since the list came.
  package func isSetBack(at now: Date) -> Bool { now < earliest }

  /// What the account has and had.
  package func entitlements(at now: Date) -> [OnsideEntitlement] {
    list.entitlements.map { entitlement in
      let end = onDevice(end(of: entitlement))
      let isActive = !isSetBack(at: now) && max(now, latest) < end
      return OnsideEntitlement(entitlement, isActive: isActive, usable: (earliest, end))
    }
  }

  /// Since when the list says less than the store might, by this device's clock: something that renews has ended, the
  /// list is too old, or the clock was set back. Nil while it says all.
  func outdated(at now: Date) -> Date? {
    if isSetBack(at: now) { return .distantPast }
    let renewals = list.entitlements.filter { $0.willRenew == true && $0.revocation == nil }
    // What had ended when the store made the list, such as a subscription in a pause, the list says.
    let ends = renewals.compactMap(\.accessEnd).filter { $0 > list.issuedAt } + [list.validUntil]
    return ends.map(onDevice).filter { $0 <= max(now, latest) }.max()
  }

  /// When the next of them ends; nil when none does any more.
  func nextEnd(after now: Date) -> Date? {
    list.entitlements.map { onDevice(end(of: $0)) }.filter { $0 > now }.min()
  }

  /// From when on the store is to be asked for another list.
  package var refreshDue: Date {
    var moments = [list.issuedAt + Self.refreshAge]
    for entitlement in list.entitlements {
      guard let end = entitlement.accessEnd, entitlement.revocation == nil else { continue }
      moments.append(end)
      if entitlement.willRenew == true { moments.append(end - Self.renewalLead) }
    }
    return onDevice(moments.filter { $0 > list.issuedAt }.min() ?? list.issuedAt + Self.refreshAge)
  }

  /// The earliest moment of the device's clock at which the list may be used.
  private var earliest: Date { latest - Self.clockTolerance }

  /// When an entitlement ends, by the store's clock.
  private func end(of entitlement: Entitlement) -> Date {
    [list.validUntil, entitlement.accessEnd, entitlement.revocation?.date].compactMap(\.self).min() ?? list.validUntil
  }

  /// A moment of the store's clock by the device's.
  private func onDevice(_ moment: Date) -> Date { moment + receivedAt.timeIntervalSince(list.issuedAt) }
}
