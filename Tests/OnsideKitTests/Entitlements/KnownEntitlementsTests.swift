import Foundation
import OnsideCommerce
import Testing

@testable import OnsideKit

@Suite("What a list says by this device's clock", .timeLimit(.minutes(5)))
struct KnownEntitlementsTests {
  private static let store = Date(timeIntervalSince1970: 1_800_000_000)
  private static let hour: TimeInterval = 3600
  private static let day: TimeInterval = 86_400

  /// A list of something that lasts and of a subscription, received when the device's clock is so many seconds off.
  private static func known(subscriptionDays days: Double = 10, clockOff shift: TimeInterval = 0) -> KnownEntitlements {
    let lasting = Entitlement(
      productID: "remove_ads", productType: .nonConsumable, orderID: UUID(), purchaseDate: store)
    let subscription = Entitlement(
      productID: "pro", productType: .autoRenewableSubscription, subscriptionID: "plans", orderID: UUID(),
      purchaseDate: store, expiresAt: store + days * day, willRenew: true)
    let list = EntitlementList(
      bundleID: "io.example.lumen", environment: .sandbox, subject: "", issuedAt: store,
      validUntil: store + EntitlementList.lifetime, entitlements: [lasting, subscription])
    return KnownEntitlements(list, of: SignedIn.alice.accountID, receivedAt: store + shift)
  }

  private static func active(_ known: KnownEntitlements, at moment: Date) -> [String] {
    known.entitlements(at: moment).filter(\.isActive).map(\.productIdentifier)
  }

  @Test("ENT-3: a list may be used offline until each subscription's end, and for 90 days at most")
  func offline() {
    let known = Self.known()
    #expect(Self.active(known, at: Self.store) == ["remove_ads", "pro"])
    #expect(Self.active(known, at: Self.store + 10 * Self.day - 1) == ["remove_ads", "pro"])
    #expect(Self.active(known, at: Self.store + 10 * Self.day) == ["remove_ads"])
    #expect(Self.active(known, at: Self.store + 90 * Self.day - 1) == ["remove_ads"])
    #expect(Self.active(known, at: Self.store + 90 * Self.day).isEmpty)
    let lasting = known.entitlements(at: Self.store)[0]
    #expect(lasting.isActive(at: Self.store + 89 * Self.day) && !lasting.isActive(at: Self.store + 90 * Self.day))
  }

  @Test("ENT-3: a clock that is wrong all the time changes nothing", arguments: [-400.0, -0.02, 0.02, 400])
  func wrongClock(days: Double) {
    let known = Self.known(clockOff: days * Self.day)
    let there = Self.store + days * Self.day
    #expect(Self.active(known, at: there) == ["remove_ads", "pro"])
    #expect(Self.active(known, at: there + 10 * Self.day) == ["remove_ads"])
    #expect(known.nextEnd(after: there) == there + 10 * Self.day)
  }

  @Test("ENT-4: a clock that is set back makes nothing active, and gains no time when it is set back a little")
  func setBack() {
    var known = Self.known()
    known.see(Self.store + 9.99 * Self.day)
    #expect(Self.active(known, at: Self.store + 9.98 * Self.day) == ["remove_ads", "pro"])
    #expect(Self.active(known, at: Self.store + 9.9 * Self.day).isEmpty && known.isSetBack(at: Self.store))
    known.see(Self.store + 10 * Self.day)
    #expect(Self.active(known, at: Self.store + 10 * Self.day - Self.hour) == ["remove_ads"])
    let lasting = known.entitlements(at: Self.store + 10 * Self.day)[0]
    #expect(!lasting.isActive(at: Self.store), "a value that the app has kept knows it, too")
  }

  @Test("ENT-4: twenty steps back of 59 minutes, each after as long a use, gain nothing")
  func stepsOf59Minutes() {
    var known = Self.known()
    for step in 1...20 {
      known.see(Self.store + 59 * 60)
      #expect(Self.active(known, at: Self.store).isEmpty == (step > 1), "two steps are more than an hour")
      known.see(Self.store)
    }
    #expect(known.stepsBack == 59 * 60 && known.seen == Self.store + 59 * 60)
    #expect(known.outdated(at: Self.store) == .distantPast, "the store is asked")
    let kept = known.entitlements(at: Self.store + 59 * 60)[0]
    #expect(!kept.isActive(at: Self.store), "a value that the app has kept knows it, too")
  }

  @Test("ENT-4: steps back count as time that has passed", arguments: [(1, 20.0), (2, 10), (4, 5)])
  func stepsCount(steps: Int, minutes: Double) {
    var known = Self.known(subscriptionDays: 0.5 / 24)
    for _ in 0..<steps {
      known.see(Self.store + minutes * 60)
      known.see(Self.store)
    }
    #expect(Self.active(known, at: Self.store + 599) == ["remove_ads", "pro"])
    #expect(Self.active(known, at: Self.store + 600) == ["remove_ads"], "30 minutes, of which 20 were used before")
    #expect(known.nextEnd(after: Self.store) == Self.store + 600)
    #expect(known.outdated(at: Self.store + 600) == Self.store + 600)
  }

  @Test("ENT-4: a clock that gains half a minute a day, and is corrected each day, changes nothing for 89 days")
  func corrections() {
    var known = Self.known(subscriptionDays: 100)
    for day in 1...89 {
      known.see(Self.store + Double(day) * Self.day + 30)
      known.see(Self.store + Double(day) * Self.day)
      #expect(Self.active(known, at: Self.store + Double(day) * Self.day) == ["remove_ads", "pro"])
    }
    #expect(known.stepsBack == 89 * 30)
  }

  @Test("ENT-5: a list in which something that renews has ended, or that is too old, says less than the store might")
  func outdated() {
    let known = Self.known(subscriptionDays: 10, clockOff: 100)
    let end = Self.store + 10 * Self.day + 100
    #expect(known.outdated(at: end - 1) == nil)
    #expect(known.outdated(at: end + 5) == end)
    #expect(known.outdated(at: Self.store + 100 * Self.day) == Self.store + EntitlementList.lifetime + 100)
    #expect(known.outdated(at: Self.store - Self.day) == .distantPast)
  }

  @Test("ENT-2: a list that the store made after the end of something that renews, as in a pause, is not outdated")
  func endedBefore() {
    let known = Self.known(subscriptionDays: -3)
    #expect(known.outdated(at: Self.store + 60) == nil)
    #expect(Self.active(known, at: Self.store + 60) == ["remove_ads"])
  }

  @Test("ENT-5: the store is asked half an hour before a renewal, at an end, and once a day")
  func refresh() {
    #expect(Self.known(subscriptionDays: 10).refreshDue == Self.store + Self.day)
    #expect(Self.known(subscriptionDays: 0.5).refreshDue == Self.store + Self.day / 2 - 1800)
    #expect(Self.known(subscriptionDays: 0.01).refreshDue == Self.store + Self.day / 100)
    #expect(Self.known(subscriptionDays: -3).refreshDue == Self.store + Self.day)
  }
}
