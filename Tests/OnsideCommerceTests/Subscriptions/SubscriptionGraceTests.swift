import Foundation
import OnsideCommerce
import Testing

/// Grace periods: what begins one, and what a payment within it pays.
@Suite(.timeLimit(.minutes(5))) struct SubscriptionGraceTests {
  typealias World = SubscriptionWorld

  /// A monthly plan whose renewal was declined, on the 15th day of its grace period.
  private func unpaid(
    _ plan: SubscriptionPlan = World.basic, choosing next: SubscriptionPlan? = nil,
    terms: SubscriptionTerms = SubscriptionTerms()
  ) -> World {
    var world = World(terms)
    world.handle(.purchased(plan))
    if let next { world.handle(.planChosen(next)) }
    world.wake(paying: false)
    world.pass(to: world.now + 15 * 86_400, paying: false)
    return world
  }

  @Test("SUB-2: a renewal without a payment method begins no grace period: access ends with the paid period")
  func noMethod() throws {
    var world = World(SubscriptionTerms(leadTime: 3600))
    world.handle(.purchased(World.basic))
    world.wake()
    let charge = try #require(world.machine.openCharge)
    let end = try #require(world.machine.period?.end)
    #expect(world.machine.graceUntil == end + 16 * 86_400, "while the charge has no answer")
    world.handle(.chargeFailed(charge, hasMethod: false))
    #expect(world.machine.graceUntil == nil && world.machine.entitledUntil == end)
    world.wake()
    #expect(world.machine.stage == .retry && world.machine.entitledUntil == nil && world.machine.nextChargeAt == nil)
    world.now += 86_400
    world.handle(.retryRequested, paying: true)
    #expect(world.machine.period?.start == world.now, "a payment after the end begins a new date")
  }

  @Test("SUB-2: a method that is added before the end and declined begins the grace period")
  func methodInTime() throws {
    var world = World(SubscriptionTerms(leadTime: 3600))
    world.handle(.purchased(World.basic))
    world.wake()
    world.handle(.chargeFailed(try #require(world.machine.openCharge), hasMethod: false))
    world.handle(.retryRequested, paying: false)
    world.wake()
    #expect(world.machine.stage == .grace)
  }

  @Test(
    "SUB-2: a purchase in the grace period, of any plan and with an offer, pays the due period: its date stays",
    arguments: ["basic", "pro", "small", "yearly", "code"])
  func duePeriod(id: String) throws {
    let plans = [World.basic, World.pro, World.small, World.yearly]
    let plan = plans.first { $0.productID == id } ?? World.basic
    var world = unpaid()
    let due = try #require(world.machine.period?.end)
    world.handle(.purchased(plan, offer: id == "code" ? World.code : nil))
    let period = try #require(world.machine.period)
    #expect(period.start == due && period.number == 2 && period.plan == plan)
    #expect(period.end == Period.oneMonth.adding(to: World.start, times: id == "yearly" ? 13 : 2))
    world.wake(paying: true)
    #expect(world.machine.period?.start == period.end)
  }

  @Test("SUB-2: a purchase whose due period would be over starts now, and no grace period follows it")
  func overAlready() {
    let daily = World.plan("daily", period: .oneDay, price: 50)
    var world = unpaid()
    world.handle(.purchased(daily))
    #expect(world.machine.period?.start == world.now)
    world.wake(paying: false)
    #expect(world.machine.stage == .retry)
  }

  @Test("SUB-2: a purchase whose due period would be charged again at once starts now")
  func overSoon() throws {
    var world = unpaid(terms: SubscriptionTerms(leadTime: 3600))
    let due = try #require(world.machine.period?.end)
    world.now = due + 15 * 86_400 - 3600
    let short = World.plan("short", period: try #require(Period(unit: .day, count: 15)))
    var later = world
    world.handle(.purchased(short))
    #expect(world.machine.period?.start == world.now)
    later.now -= 1
    later.handle(.purchased(short))
    #expect(later.machine.period?.start == due)
  }

  @Test("SUB-2: a charge in the grace period whose due period would be over pays one period, which starts now")
  func chargeOverAlready() {
    let weekly = World.plan("weekly", level: 3, period: .oneWeek, price: 99)
    var world = unpaid(choosing: weekly)
    world.handle(.retryRequested, paying: true)
    #expect(world.machine.period?.plan == weekly && world.machine.period?.start == world.now)
    #expect(world.machine.nextChargeAt == world.now + 7 * 86_400)
    world.wake(paying: false)
    #expect(world.machine.stage == .retry, "the grace period before was not paid")
  }

  @Test(
    "SUB-2: after a grace period that another plan has paid none follows until a renewal is paid in time",
    arguments: ["bought", "chosen"])
  func paidByOtherPlan(way: String) throws {
    var world = unpaid(choosing: way == "chosen" ? World.small : nil)
    let due = try #require(world.machine.period?.end)
    if way == "bought" {
      world.handle(.purchased(World.small))
    } else {
      world.handle(.retryRequested, paying: true)
    }
    #expect(world.machine.period?.plan == World.small && world.machine.period?.start == due)
    world.handle(.purchased(World.pro))
    #expect(world.machine.period?.plan == World.pro && world.machine.period?.start == world.now)
    world.wake(paying: false)
    #expect(world.machine.stage == .retry)
    world.wake(paying: true)
    world.wake(paying: true)
    world.wake(paying: false)
    #expect(world.machine.stage == .grace, "the renewal before was paid in time")
  }

  @Test("SUB-2: a refund of the period that has paid a grace period leaves none until a renewal is paid in time")
  func refundedGrace() throws {
    var world = unpaid()
    world.handle(.purchased(World.basic))
    let number = try #require(world.machine.period?.number)
    world.handle(.refunded(period: number, .refund))
    world.handle(.purchased(World.basic))
    #expect(world.machine.period?.start == world.now)
    world.wake(paying: false)
    #expect(world.machine.stage == .retry)
  }

  enum End: CaseIterable { case endedNow, retry, refund, otherPlan }

  @Test(
    "SUB-2: after a grace period that ended unpaid none follows until a renewal is paid in time",
    arguments: End.allCases)
  func secondGrace(end: End) throws {
    var world = unpaid()
    switch end {
    case .endedNow: world.handle(.autoRenewSwitched(on: false))
    case .retry, .otherPlan: while world.machine.stage == .grace { world.wake(paying: false) }
    case .refund: world.handle(.refunded(period: 1, .refund))
    }
    if end == .retry {
      world.wake(paying: true)
    } else {
      world.handle(.purchased(end == .otherPlan ? World.pro : World.basic))
    }
    #expect(world.machine.period?.start == world.now, "the date is a new one")
    world.wake(paying: false)
    #expect(world.machine.stage == .retry && world.machine.graceUntil == nil)
    world.wake(paying: true)
    world.wake(paying: true)
    #expect(world.machine.stage == .active)
    world.wake(paying: false)
    #expect(world.machine.stage == .grace, "the renewal before was paid in time")
  }

  @Test("SUB-2: while a charge has no answer of the provider, access goes on, also after an unpaid grace period")
  func outage() {
    var world = unpaid()
    world.handle(.autoRenewSwitched(on: false))
    world.handle(.purchased(World.basic))
    world.wake()
    #expect(world.machine.stage == .due && world.machine.isEntitled(at: world.now + 86_400))
  }

  @Test(
    "SUB-2: however purchases, plans and declined cards follow each other, access is paid, but for one grace period")
  func accessOfPayments() {
    // Days of access without a payment of them, over ten rounds of each way to pay on the last day of a grace period.
    for plans in [[World.basic], [World.pro, World.basic], [World.small, World.plan("daily", period: .oneDay)]] {
      for endsNow in [false, true] {
        var (world, free) = (World(), 0.0)
        world.handle(.purchased(World.basic))
        for round in 0..<10 {
          world.wake(paying: false)
          if let until = world.machine.entitledUntil, until > world.now {
            world.pass(to: until - 60, paying: false)
          } else {
            world.now += 60
          }
          let (paidUntil, moment) = (world.machine.period?.end ?? world.now, world.now)
          let had = world.machine.isEntitled(at: moment)
          if endsNow { world.handle(.autoRenewSwitched(on: false)) }
          world.handle(.purchased(plans[round % plans.count]))
          if had, let start = world.machine.period?.start { free += max(0, start.timeIntervalSince(paidUntil)) }
        }
        #expect(free <= 16 * 86_400, "\(plans.map(\.productID)), ended: \(endsNow)")
      }
    }
  }
}
