import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit

/// A device of the account: the store's last list as the SDK keeps it, a network that comes and goes, and a clock that
/// its user sets.
struct BillingDevice {
  let name: String
  private(set) var known: KnownEntitlements?
  var isOnline = true
  /// How far its clock is ahead of the store's, in seconds.
  var clockError: TimeInterval = 0
  /// What the store had told when the list was made.
  private var heardNews = -1
  private let brokenRule: BrokenBillingRule?

  init(_ name: String, brokenRule: BrokenBillingRule?) {
    self.name = name
    self.brokenRule = brokenRule
  }

  func clock(at now: Date) -> Date { now + clockError }

  mutating func receive(_ list: EntitlementList, news: Int, at now: Date) {
    known = KnownEntitlements(list, of: BillingWorld.account, receivedAt: clock(at: now))
    heardNews = news
  }

  /// The products that its app lets the person use.
  mutating func usable(at now: Date) -> [String] {
    let clock = clock(at: now)
    guard var known else { return [] }
    if brokenRule == .clockGoesForward {
      known = KnownEntitlements(known.list, of: known.account, receivedAt: known.receivedAt)
    }
    known.see(clock)
    self.known = known
    return known.entitlements(at: clock).filter(\.isActive).map(\.productIdentifier)
  }

  /// Whether it knows all that the store has told, and has no reason to ask again.
  func isUpToDate(with books: BillingBooks, at now: Date) -> Bool {
    heardNews == books.news && refreshDue(at: now).map { $0 > now } == true
  }

  /// When it asks the store for another list, by the store's clock.
  func refreshDue(at now: Date) -> Date? {
    guard isOnline else { return nil }
    guard let known, !known.isSetBack(at: clock(at: now)) else { return now }
    return max(now, known.refreshDue - clockError)
  }
}
