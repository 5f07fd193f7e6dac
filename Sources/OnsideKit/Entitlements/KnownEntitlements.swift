package import Foundation
package import OnsideAPI
package import OnsideCommerce

/// A list of the store as this device has it, and what it says at a moment of this device's clock. Pure.
///
/// The device's clock may be wrong: the list's moments are counted from when the list came. A clock that is set back
/// gains nothing: what it goes back counts as time that has passed, and after more than an hour in all nothing may be
/// used until the store has been reached.
package struct KnownEntitlements: Hashable, Sendable {
  package let account: AccountID
  package let list: EntitlementList
  /// When the list came, by the device's clock.
  package let receivedAt: Date
  /// The last moment that the device's clock has shown since.
  package private(set) var seen: Date
  /// How many seconds the clock has gone back since, in all its steps.
  package private(set) var stepsBack: TimeInterval

  /// How far a clock may go back in all, in seconds, without having been set back.
  package static let clockTolerance: TimeInterval = 3600
  /// How old a list may be before another one is asked for, in seconds.
  static let refreshAge: TimeInterval = 86_400
  /// How long before the end of access the store is asked about the renewal, in seconds. It charges an hour before.
  static let renewalLead: TimeInterval = 1800

  package init(
    _ list: EntitlementList, of account: AccountID, receivedAt: Date, seen: Date? = nil, stepsBack: TimeInterval = 0
  ) {
    self.list = list
    self.account = account
    self.receivedAt = receivedAt
    self.seen = seen ?? receivedAt
    self.stepsBack = stepsBack
  }

  /// Takes in what the clock shows, unless it was set back: set right again, it is as if it had not been.
  package mutating func see(_ now: Date) {
    guard !isSetBack(at: now) else { return }
    (seen, stepsBack) = (now, stepsBack(at: now))
  }

  /// Whether the clock has been set back since the list came.
  package func isSetBack(at now: Date) -> Bool { now < earliest }

  /// What the account has and had.
  package func entitlements(at now: Date) -> [OnsideEntitlement] {
    list.entitlements.map { entitlement in
      let end = onDevice(end(of: entitlement), at: now)
      let isActive = !isSetBack(at: now) && now < end
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
    return ends.map { onDevice($0, at: now) }.filter { $0 <= now }.max()
  }

  /// When the next of them ends; nil when none does any more.
  func nextEnd(after now: Date) -> Date? {
    list.entitlements.map { onDevice(end(of: $0), at: now) }.filter { $0 > now }.min()
  }

  /// From when on the store is to be asked for another list.
  package var refreshDue: Date {
    var moments = [list.issuedAt + Self.refreshAge]
    for entitlement in list.entitlements {
      guard let end = entitlement.accessEnd, entitlement.revocation == nil else { continue }
      moments.append(end)
      if entitlement.willRenew == true { moments.append(end - Self.renewalLead) }
    }
    return onDevice(moments.filter { $0 > list.issuedAt }.min() ?? list.issuedAt + Self.refreshAge, at: seen)
  }

  /// The earliest moment of the device's clock at which the list may be used.
  private var earliest: Date { seen - (Self.clockTolerance - stepsBack) }

  /// When an entitlement ends, by the store's clock.
  private func end(of entitlement: Entitlement) -> Date {
    [list.validUntil, entitlement.accessEnd, entitlement.revocation?.date].compactMap(\.self).min() ?? list.validUntil
  }

  /// How many seconds the clock has gone back in all when it shows a moment.
  private func stepsBack(at now: Date) -> TimeInterval { stepsBack + max(0, seen.timeIntervalSince(now)) }

  /// A moment of the store's clock by the device's, as that one goes now.
  private func onDevice(_ moment: Date, at now: Date) -> Date {
    moment + receivedAt.timeIntervalSince(list.issuedAt) - stepsBack(at: now)
  }
}
