import Foundation
import OnsideCommerce
import Testing

@Suite(.timeLimit(.minutes(5))) struct SubscriptionRulesTests {
  typealias World = SubscriptionWorld

  private func days(_ count: Double) -> TimeInterval { count * 86_400 }
  private func text(_ period: PaidPeriod) -> String { String(RFC3339.text(period.end).prefix(10)) }

  @Test("STO-9: no hour is lost or won when clocks change")
  func daylightSaving() throws {
    var world = World()
    world.now = try #require(RFC3339.date("2026-03-28T01:30:00Z"))
    world.handle(.purchased(World.plan("weekly", period: .oneWeek)))
    for _ in 0..<60 { world.wake(paying: true) }
    #expect(world.periods.allSatisfy { $0.end.timeIntervalSince($0.start) == days(7) })
    #expect(world.periods.allSatisfy { RFC3339.text($0.end).hasSuffix("T01:30:00Z") })
  }

  @Test("STO-9: an answer that comes late in the grace period does not move the days of payment")
  func lateAnswer() {
    var world = World()
    world.handle(.purchased(World.basic))
    world.wake()
    world.now += days(3)
    world.handle(.chargeSucceeded(world.charges[0]))
    #expect(world.periods.map(text) == ["2026-02-28", "2026-03-31"])
  }

  @Test("STO-9: without a grace period a failed payment ends the entitlement at once")
  func noGrace() {
    var world = World(SubscriptionTerms(grantsGrace: false))
    world.handle(.purchased(World.basic))
    world.wake(paying: false)
    #expect(world.machine.stage == .retry)
    #expect(!world.machine.isEntitled(at: world.now))
  }

  @Test("STO-9: a payment is tried every three days for 60 days, then the subscription is over")
  func billingError() {
    var world = World()
    world.handle(.purchased(World.basic))
    world.pass(to: World.start + days(365), paying: false)
    #expect(world.charges.count == 20)
    #expect(world.charges.map(\.attempt) == Array(1...20))
    #expect(world.effects.last == .expired(.billingError))
  }

  @Test("STO-9: a payment after the end goes back, once")
  func tooLate() {
    var world = World()
    world.handle(.purchased(World.basic))
    world.pass(to: World.start + days(365), paying: false)
    let charge = world.charges[19]
    #expect(world.handle(.chargeSucceeded(charge)) == [.refundCharge(charge)])
    #expect(world.handle(.chargeSucceeded(charge)) == [])
  }

  @Test("STO-9: a renewal that was on its way when a new subscription was bought goes back")
  func crossed() {
    var world = World()
    world.handle(.purchased(World.basic))
    world.wake()
    world.handle(.purchased(World.pro))
    let charge = world.charges[0]
    #expect(world.handle(.chargeSucceeded(charge)) == [.refundCharge(charge)])
    world.wake(paying: true)
    #expect(world.periods.map(\.plan.productID) == ["basic", "pro", "pro"])
  }

  @Test("STO-9: a pay-as-you-go offer is paid for each of its periods, then the regular price")
  func payAsYouGo() {
    var world = World()
    let price = Money(minorUnits: 99, currency: .eur)
    let offer = AcceptedOffer(
      kind: .introductory, mode: .payAsYouGo, period: .oneMonth, periodCount: 3, price: price)
    world.handle(.purchased(World.basic, offer: offer))
    for _ in 0..<3 { world.wake(paying: true) }
    #expect(world.periods.map(\.price.minorUnits) == [99, 99, 99, 499])
  }

  @Test("STO-9: an offer paid up front lasts all its periods at one price")
  func payUpFront() {
    var world = World()
    let price = Money(minorUnits: 999, currency: .eur)
    let offer = AcceptedOffer(
      kind: .introductory, mode: .payUpFront, period: .oneMonth, periodCount: 3, price: price)
    world.handle(.purchased(World.basic, offer: offer))
    world.wake(paying: true)
    #expect(world.periods.map(text) == ["2026-04-30", "2026-05-31"])
    #expect(world.periods.map(\.price.minorUnits) == [999, 499])
  }

  @Test("PRD-9: an introductory offer is for accounts that never subscribed in the group, a promotional one for others")
  func eligibility() {
    var world = World()
    var promotion = World.trial
    promotion.kind = .promotional
    #expect(world.machine.isEligibleForIntroductoryOffer)
    #expect(world.handle(.purchased(World.basic, offer: promotion)) == [.refused(.offerNotEligible)])
    world.handle(.purchased(World.basic, offer: World.trial))
    world.handle(.autoRenewSwitched(on: false))
    world.wake()
    #expect(!world.machine.isEligibleForIntroductoryOffer)
    #expect(world.handle(.purchased(World.small, offer: World.trial)) == [.refused(.offerNotEligible)])
    world.handle(.purchased(World.small, offer: promotion))
    #expect(world.machine.isEntitled(at: world.now))
  }

  @Test("STO-9: an upgrade starts at once and gives the unused part back")
  func upgrade() {
    var world = World()
    world.handle(.purchased(World.basic))
    world.now += days(7)
    #expect(world.machine.start(of: World.pro) == .atOnce)
    let effects = world.handle(.purchased(World.pro))
    #expect(effects.first == .refundUnused(Money(minorUnits: 374, currency: .eur), of: world.periods[0]))
    #expect(world.machine.period?.start == world.now)
  }

  @Test("STO-9: a lower plan or another length starts with the next renewal")
  func downgrade() {
    var world = World()
    world.handle(.purchased(World.basic))
    #expect(world.machine.start(of: World.small) == .atRenewal)
    #expect(world.machine.start(of: World.yearly) == .atRenewal)
    #expect(world.machine.start(of: World.plan("other")) == .atOnce)
    world.handle(.planChosen(World.small))
    #expect(world.machine.period?.plan == World.basic)
    world.wake(paying: true)
    #expect(world.machine.period?.plan == World.small)
    #expect(world.periods.last?.price == World.small.price)
  }

  @Test("SUB-6: while its renewal is declined, or in a pause, a subscription takes no choice: each plan is bought")
  func choiceWhenDeclined() throws {
    var world = World()
    world.handle(.purchased(World.basic))
    world.handle(.planChosen(World.small))
    var paused = world
    world.wake()
    let declined = try #require(world.machine.openCharge)
    world.handle(.chargeFailed(declined))
    let (end, grace) = (try #require(world.machine.period?.end), world.machine)
    for plan in [World.basic, World.small, World.pro, World.yearly] {
      #expect(world.handle(.planChosen(plan)) == [.refused(.startsAtOnce)] && world.machine == grace)
    }
    world.handle(.purchased(World.basic))
    #expect(world.machine.period?.plan == World.basic && world.machine.period?.start == end)
    #expect(world.machine.nextPlan == nil && world.machine.autoRenews)
    #expect(world.handle(.chargeSucceeded(declined)) == [.refundCharge(declined)])
    paused.handle(.pauseRequested(until: nil))
    paused.wake()
    #expect(paused.handle(.planChosen(World.yearly)) == [.refused(.startsAtOnce)])
  }

  @Test("STO-9: a price without consent ends the subscription, with its reason")
  func noConsent() {
    var world = World()
    let price = Money(minorUnits: 599, currency: .eur)
    world.handle(.purchased(World.basic))
    #expect(world.handle(.priceChanged(to: price, needsConsent: true)) == [.askConsent(price)])
    world.wake(paying: true)
    #expect(world.machine.stage == .expired(.priceNotAccepted))
  }

  @Test("SUB-8: a price that may be declined without an end is charged if it is accepted; otherwise the present one is")
  func optionalPrice() throws {
    let price = Money(minorUnits: 599, currency: .eur)
    for answer in [nil, false, true] {
      var world = World(SubscriptionTerms(leadTime: 3600))
      world.handle(.purchased(World.basic))
      #expect(world.handle(.priceChanged(to: price, needsConsent: true, keepsPrice: true)) == [.askConsent(price)])
      #expect(world.machine.isAskedAboutPrice && !world.machine.awaitsConsent)
      #expect(world.machine.nextPrice == World.basic.price)
      if let answer { world.handle(.priceAnswered(accepted: answer)) }
      #expect(world.machine.autoRenews && world.machine.isAskedAboutPrice == (answer == nil))
      world.wake()
      let charge = try #require(world.machine.openCharge, "an hour before the end")
      #expect(charge.price == (answer == true ? price : World.basic.price))
      world.handle(.chargeSucceeded(charge))
      #expect(!world.machine.isAskedAboutPrice && world.machine.nextPrice == charge.price)
    }
  }

  @Test("SUB-8: a refused charge is tried again at its own price while another one waits for consent")
  func retryBeforeConsent() throws {
    var world = World()
    world.handle(.purchased(World.basic))
    world.wake()
    let refused = try #require(world.machine.openCharge)
    world.handle(.chargeFailed(refused))
    world.handle(.priceChanged(to: Money(minorUnits: 599, currency: .eur), needsConsent: true))
    world.wake()
    let again = try #require(world.machine.openCharge)
    #expect(again.attempt == 2)
    #expect(again.price == World.basic.price)
    world.handle(.chargeSucceeded(again))
    #expect(world.machine.awaitsConsent)
  }

  @Test("QUE-19: a refund of the present period ends the entitlement, one of an older period does not")
  func refund() {
    var world = World()
    world.handle(.purchased(World.basic))
    world.wake(paying: true)
    #expect(world.handle(.refunded(period: 1, .refund)) == [])
    #expect(world.machine.isEntitled(at: world.now))
    world.handle(.refunded(period: 2, .support))
    #expect(world.machine.stage == .revoked(Revocation(date: world.now, reason: .support)))
    #expect(world.machine.entitledUntil == nil)
    world.handle(.purchased(World.basic))
    #expect(world.machine.isEntitled(at: world.now))
  }

  @Test("SUB-4: a stopped subscription ends now with its paid period, and late money of an open charge goes back")
  func stopped() throws {
    var world = World(SubscriptionTerms(leadTime: 3600))
    world.handle(.purchased(World.basic))
    world.wake()
    let charge = try #require(world.machine.openCharge)
    #expect(world.handle(.stopped) == [.expired(.cancelled)])
    #expect(world.machine.period?.end == world.now && !world.machine.isEntitled(at: world.now))
    #expect(world.handle(.stopped) == [] && world.machine.wakesAt == nil)
    #expect(world.handle(.chargeSucceeded(charge)) == [.refundCharge(charge)])
    world.handle(.purchased(World.basic))
    #expect(world.machine.period?.number == 2 && world.machine.period?.start == world.now)
  }

  @Test("SUB-4: stopped in the hour in which the next period is paid already, neither period runs on")
  func stoppedEarly() throws {
    var world = World(SubscriptionTerms(leadTime: 3600))
    world.handle(.purchased(World.basic))
    world.wake(paying: true)
    #expect(world.machine.runningPeriods.count == 2)
    world.handle(.stopped)
    #expect(world.machine.period?.end == world.now && world.machine.runningPeriods.isEmpty)
    world.handle(.purchased(World.basic))
    #expect(world.machine.period?.number == 3 && world.machine.runningPeriods.count == 1)
  }

  @Test("STO-9: a store that slept for months asks for the payment before it takes anything away")
  func sleep() {
    var world = World()
    world.handle(.purchased(World.basic))
    world.now += days(200)
    world.handle(.clock, paying: true)
    #expect(world.machine.stage == .active)
    #expect(world.periods.last?.start == world.now)
  }

  @Test(
    "LOC-2: renewals, grace and retries pass at the file's rate",
    arguments: [(15, 30.0, 15.0, 60.0), (10, 3600, 1800, 7200), (1005, 2, 2, 4), (1002, 60, 60, 120)])
  func accelerated(rate: Int, month: TimeInterval, grace: TimeInterval, retry: TimeInterval) {
    var world = World(SubscriptionTerms(timeRate: TimeRate(rawValue: rate)))
    world.handle(.purchased(World.basic, offer: World.trial))
    world.wake(paying: true)
    #expect(world.now == World.start + month)
    world.wake(paying: false)
    let failed = world.now
    while world.machine.stage == .grace { world.wake(paying: false) }
    #expect(world.now == failed + grace)
    while world.machine.stage == .retry { world.wake(paying: false) }
    #expect(world.now == failed + retry)
  }
}
