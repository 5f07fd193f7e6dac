import Foundation
import OnsideCommerce
import Testing

/// Offers that present subscribers buy for the time behind the paid period.
@Suite(.timeLimit(.minutes(5))) struct SubscriptionAheadTests {
  typealias World = SubscriptionWorld

  /// A subscription from 31 January to 28 February, ten days after its start.
  private func running() -> World {
    var world = World(SubscriptionTerms(leadTime: 3600))
    world.handle(.purchased(World.basic))
    world.now += 10 * 86_400
    return world
  }

  private func moment(_ text: String) -> Date { RFC3339.date("2026-\(text)T10:00:00Z") ?? .distantPast }

  @Test("SUB-16: the offer's time follows the paid period, and then the regular price; nothing goes back")
  func follows() {
    var world = running()
    #expect(world.handle(.purchased(World.basic, offer: World.code)).count == 1)
    #expect(world.periods.last?.start == moment("02-28") && world.periods.last?.end == moment("03-31"))
    #expect(world.machine.entitledUntil == moment("03-31") && world.charges.isEmpty)
    world.pass(to: moment("05-15"), paying: true)
    #expect(world.periods.map(\.price.minorUnits) == [499, 99, 99, 499])
    #expect(world.charges.map(\.price.minorUnits) == [99, 499])
  }

  @Test("SUB-16: a subscription that was switched off, and one with another plan ahead, renews with the offer's plan")
  func comesBack() {
    for wish in [SubscriptionEvent.autoRenewSwitched(on: false), .planChosen(World.small)] {
      var world = running()
      world.handle(wish)
      world.handle(.purchased(World.basic, offer: World.code))
      #expect(world.machine.autoRenews && world.machine.nextPlan == nil)
      #expect(world.machine.nextPrice == World.code.price)
    }
  }

  @Test("SUB-16: only one time is paid ahead, and none while a renewal is being paid or another offer goes on")
  func once() {
    var world = running()
    world.handle(.purchased(World.basic, offer: World.code))
    #expect(world.handle(.purchased(World.basic, offer: World.code)) == [.refused(.alreadySubscribed)])
    world.pass(to: moment("03-01"))
    #expect(
      world.handle(.purchased(World.basic, offer: World.code)) == [.refused(.alreadySubscribed)],
      "one payment of the offer is left")
    var asked = running()
    asked.wake()
    #expect(asked.charges.count == 1)
    #expect(asked.handle(.purchased(World.basic, offer: World.code)) == [.refused(.alreadySubscribed)])
  }

  @Test("SUB-16: a higher plan gives back the rest of the running period and all that is paid ahead")
  func upgrade() {
    var world = running()
    world.handle(.purchased(World.basic, offer: World.code))
    let effects = world.handle(.purchased(World.pro))
    let refunds = effects.compactMap { effect -> Int64? in
      guard case .refundUnused(let money, _) = effect else { return nil }
      return money.minorUnits
    }
    #expect(refunds == [499 * 18 / 28, 99])
    #expect(world.machine.entitledUntil == moment("03-10"))
  }

  @Test(
    "SUB-16: refunded, what is paid ahead is gone, and what runs stays to its end; a later period has its own number")
  func refundedAhead() throws {
    var world = running()
    world.handle(.purchased(World.basic, offer: World.code))
    let effects = world.handle(.refunded(period: 2, .refund))
    let running = try #require(world.machine.period)
    #expect(effects == [.periodDropped(running: running)] && running.number == 2)
    #expect(world.machine.entitledUntil == moment("02-28") && !world.machine.autoRenews)
    world.handle(.autoRenewSwitched(on: true))
    world.wake(paying: true)
    #expect(world.periods.last?.start == moment("02-28") && world.periods.last?.number == 3)
    #expect(world.periods.last?.price == World.basic.price)
  }

  @Test("SUB-16: when what runs is refunded, all is taken back, and the price of what was paid ahead goes back")
  func refundedRunning() throws {
    var world = running()
    world.handle(.purchased(World.basic, offer: World.code))
    let ahead = try #require(world.periods.last)
    let effects = world.handle(.refunded(period: 1, .chargeback))
    #expect(effects.last == .refundUnused(World.code.price, of: ahead) && effects.count == 2)
    #expect(world.machine.entitledUntil == nil)
  }

  @Test("SUB-16: an offer in another currency, and one beside an offer that another plan hides, are not paid ahead")
  func refused() {
    var world = running()
    var plan = World.basic
    plan.price = Money(minorUnits: 499, currency: Currency(code: "USD") ?? .eur)
    #expect(world.machine.start(of: plan, with: .code, at: world.now) == .alreadyThere)
    #expect(world.machine.start(of: World.basic, with: .code, at: world.now) == .ahead)
    world.handle(.purchased(World.basic, offer: World.code))
    world.pass(to: moment("03-01"))
    world.handle(.planChosen(World.small))
    #expect(world.machine.start(of: World.basic, with: .code, at: world.now) == .alreadyThere)
  }
}
