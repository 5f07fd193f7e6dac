import Foundation
import OnsideCommerce
import Testing

/// Periods that are charged an hour before they begin.
@Suite(.timeLimit(.minutes(5))) struct SubscriptionLeadTimeTests {
  typealias World = SubscriptionWorld

  private static let lead: TimeInterval = 3600

  /// A subscription in its last hour, whose next period is charged and not answered.
  private func charged(grantsGrace: Bool = true) -> World {
    var world = World(SubscriptionTerms(grantsGrace: grantsGrace, leadTime: Self.lead))
    world.handle(.purchased(World.basic))
    world.wake()
    return world
  }

  private static let end = RFC3339.date("2026-02-28T10:00:00Z") ?? .distantPast

  @Test("SUB-1: the next period is charged an hour before its time, once, and begins when the present one ends")
  func early() throws {
    var world = charged()
    #expect(world.now == Self.end - Self.lead)
    #expect(world.charges.count == 1)
    #expect(world.machine.stage == .active)
    #expect(world.machine.wakesAt == Self.end)
    world.handle(.chargeSucceeded(try #require(world.charges.first)))
    #expect(world.periods.last?.start == Self.end)
    #expect(world.machine.entitledUntil == RFC3339.date("2026-03-31T10:00:00Z"))
    #expect(world.machine.wakesAt == RFC3339.date("2026-03-31T09:00:00Z"))
  }

  @Test("SUB-1: nobody loses anything while the answer is on its way, and late money begins the period in its time")
  func unanswered() throws {
    var world = charged()
    world.wake()
    #expect(world.machine.stage == .due)
    #expect(Set(world.charges).count == 1, "the same charge, asked for again")
    #expect(world.machine.isEntitled(at: world.now))
    world.now += 7200
    world.handle(.chargeSucceeded(try #require(world.charges.first)))
    #expect(world.periods.last?.start == Self.end)
  }

  @Test("SUB-2: a refusal before the end takes nothing away: the grace period begins with the end, or the retries")
  func refusedEarly() throws {
    for grantsGrace in [true, false] {
      var world = charged(grantsGrace: grantsGrace)
      world.handle(.chargeFailed(try #require(world.charges.first)))
      #expect(world.machine.stage == .active)
      world.wake()
      #expect(world.now == Self.end)
      #expect(world.machine.stage == (grantsGrace ? .grace : .retry))
      #expect(world.machine.wakesAt == Self.end - Self.lead + 3 * 86_400, "three days after the first try")
      #expect(world.charges.count == 1)
    }
  }

  @Test("SUB-2: a card that is refused for good is not tried again, a new one at once, and the planned try stays")
  func newCard() throws {
    var world = charged()
    world.handle(.chargeFailed(try #require(world.charges.last), isFinal: true))
    world.wake()
    #expect(world.machine.wakesAt == Self.end + 16 * 86_400, "the end of the grace period")
    world.now += 86_400
    world.handle(.retryRequested)
    #expect(world.charges.map(\.attempt) == [1, 2])
    world.handle(.chargeFailed(try #require(world.charges.last)))
    let planned = world.now + 3 * 86_400
    #expect(world.machine.wakesAt == planned)
    world.now += 86_400
    world.handle(.retryRequested)
    world.handle(.chargeFailed(try #require(world.charges.last)))
    #expect(world.machine.wakesAt == planned)
    world.handle(.retryRequested)
    world.handle(.chargeSucceeded(try #require(world.charges.last)))
    #expect(world.periods.last?.start == Self.end)
  }

  @Test("SUB-2: a card that comes in the last hour, or while another one is asked, is tried once that one is refused")
  func cardInTime() throws {
    var early = charged()
    early.handle(.chargeFailed(try #require(early.charges.last), isFinal: true))
    early.handle(.retryRequested)
    #expect(early.charges.map(\.attempt) == [1, 2])
    early.handle(.chargeSucceeded(try #require(early.charges.last)))
    #expect(early.periods.last?.start == Self.end)
    var asked = charged()
    asked.handle(.retryRequested)
    #expect(asked.charges.count == 1)
    asked.handle(.chargeFailed(try #require(asked.charges.last), isFinal: true))
    #expect(asked.charges.map(\.attempt) == [1, 2])
    asked.handle(.chargeFailed(try #require(asked.charges.last), isFinal: true))
    #expect(asked.charges.count == 2, "each method once")
  }

  @Test("SUB-3: a renewal that is switched off in the last hour may still be paid, and is the last one")
  func switchedOff() throws {
    var world = charged()
    world.handle(.autoRenewSwitched(on: false))
    var refused = world
    world.wake()
    #expect(world.machine.stage == .due)
    world.handle(.chargeSucceeded(try #require(world.charges.first)))
    world.pass(to: Self.end + 400 * 86_400)
    #expect(world.periods.count == 2)
    #expect(world.machine.stage == .expired(.cancelled))
    refused.handle(.chargeFailed(try #require(refused.charges.first)))
    #expect(refused.machine.isEntitled(at: refused.now))
    refused.wake()
    #expect(refused.machine.stage == .expired(.cancelled))
  }

  @Test("SUB-3: off and on again in the last hour, a renewal whose charge has ended meanwhile is charged at the end")
  func switchedOnAgain() throws {
    for grantsGrace in [true, false] {
      var world = charged(grantsGrace: grantsGrace)
      world.handle(.autoRenewSwitched(on: false))
      world.handle(.chargeFailed(try #require(world.charges.first)))
      world.handle(.autoRenewSwitched(on: true))
      #expect(world.machine.nextChargeAt == Self.end)
      world.wake()
      #expect(world.now == Self.end && world.charges.map(\.attempt) == [1, 2])
      world.handle(.chargeSucceeded(try #require(world.charges.last)))
      #expect(world.periods.last?.start == Self.end)
    }
  }

  @Test("SUB-3: off and on again in the last hour, a card that was refused for good is not tried again")
  func refusedForGood() throws {
    var world = charged()
    world.handle(.autoRenewSwitched(on: false))
    world.handle(.chargeFailed(try #require(world.charges.first), isFinal: true))
    world.handle(.autoRenewSwitched(on: true))
    #expect(world.machine.nextChargeAt == nil)
    world.wake()
    #expect(world.charges.map(\.attempt) == [1])
  }

  @Test("SUB-5: a higher plan in the last hour gives back the rest of the hour, and all of the next period")
  func upgraded() throws {
    var world = charged()
    world.handle(.chargeSucceeded(try #require(world.charges.first)))
    world.now += 1800
    let effects = world.handle(.purchased(World.pro))
    // Half an hour of 28 days at € 4.99 is a part of a cent.
    #expect(effects.first == .refundUnused(World.basic.price, of: world.periods[1]))
    #expect(effects.count == 2)
    var yearly = World(SubscriptionTerms(leadTime: 86_400))
    yearly.handle(.purchased(World.yearly))
    yearly.wake(paying: true)
    let back = yearly.handle(.purchased(World.pro))
    #expect(
      back.prefix(2) == [
        .refundUnused(Money(minorUnits: 13, currency: .eur), of: yearly.periods[0]),
        .refundUnused(World.yearly.price, of: yearly.periods[1]),
      ])
  }

  @Test("SUB-2: the grace period of a plan, of which a week has six days at most; without one of its own 16 or 6")
  func grace() {
    func days(_ plan: SubscriptionPlan, at rate: TimeRate = .realTime) -> Double {
      rate.gracePeriod(for: plan.period, days: plan.graceDays) / 86_400
    }
    var (month, week) = (World.basic, World.plan("weekly", period: .oneWeek))
    #expect(days(month) == 16 && days(week) == 6)
    for (length, ofWeek) in [(0, 0.0), (3, 3), (6, 6), (16, 6), (28, 6)] {
      (month.graceDays, week.graceDays) = (length, length)
      #expect(days(month) == Double(length) && days(week) == ofWeek)
    }
    #expect(days(month, at: TimeRate(rawValue: 1)) == 28 * 3600 / 86_400.0)
  }

  @Test("SUB-1: a subscription that was written before there was a lead time is read without one")
  func olderTerms() throws {
    let older = Data(#"{"timeRate":0,"grantsGrace":true}"#.utf8)
    let decoded = try JSONDecoder().decode(SubscriptionTerms.self, from: older)
    #expect(decoded == SubscriptionTerms())
  }
}
