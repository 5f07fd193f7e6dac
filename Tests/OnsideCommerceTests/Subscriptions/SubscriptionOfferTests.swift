import Foundation
import OnsideCommerce
import Testing

/// Offers that present subscribers accept for the next renewal of their plan.
@Suite(.timeLimit(.minutes(5))) struct SubscriptionOfferTests {
  typealias World = SubscriptionWorld

  /// A subscription from 31 January to 28 February, ten days after its start.
  private func running() -> World {
    var world = World(SubscriptionTerms(leadTime: 3600))
    world.handle(.purchased(World.basic))
    world.now += 10 * 86_400
    return world
  }

  private func accepted() -> World {
    var world = running()
    #expect(world.handle(.offerAccepted(World.code, of: World.basic)) == [])
    return world
  }

  private func moment(_ text: String) -> Date { RFC3339.date("2026-\(text)T10:00:00Z") ?? .distantPast }

  @Test(
    "SUB-24: an accepted offer charges nothing; it begins with the next renewal, and the regular price follows")
  func begins() {
    var world = accepted()
    #expect(world.charges.isEmpty && world.machine.nextPrice == World.code.price)
    #expect(world.machine.entitledUntil == moment("02-28"))
    world.pass(to: moment("05-15"), paying: true)
    #expect(world.periods.map(\.price.minorUnits) == [499, 99, 99, 499])
    #expect(world.charges.map(\.price.minorUnits) == [99, 99, 499])
    #expect(world.periods.dropFirst().first?.start == moment("02-28") && world.machine.nextOffer == nil)
  }

  @Test("SUB-24: the regular price after the offer is the one that was accepted with it")
  func laterPrice() {
    var (world, plan) = (running(), World.basic)
    plan.price = Money(minorUnits: 599, currency: .eur)
    world.handle(.offerAccepted(World.code, of: plan))
    world.pass(to: moment("05-15"), paying: true)
    #expect(world.periods.map(\.price.minorUnits) == [499, 99, 99, 599])
  }

  @Test("SUB-24: the acceptance switches the renewal on, and withdraws a chosen plan and a new price")
  func withdraws() {
    let rise = Money(minorUnits: 599, currency: .eur)
    for wish in [
      SubscriptionEvent.autoRenewSwitched(on: false), .planChosen(World.small),
      .priceChanged(to: rise, needsConsent: true),
    ] {
      var world = running()
      world.handle(wish)
      world.handle(.offerAccepted(World.code, of: World.basic))
      #expect(world.machine.autoRenews && world.machine.nextPlan == nil && world.machine.pendingPrice == nil)
      #expect(world.machine.nextPrice == World.code.price)
    }
  }

  @Test("SUB-24: an accepted offer outlasts a renewal that is off for a while and a pause; a chosen plan withdraws it")
  func wishes() {
    var world = accepted()
    world.handle(.autoRenewSwitched(on: false))
    world.handle(.autoRenewSwitched(on: true))
    world.handle(.pauseRequested(until: moment("03-28")))
    #expect(world.machine.nextPrice == World.code.price)
    world.pass(to: moment("04-01"), paying: true)
    #expect(world.periods.last?.price == World.code.price)
    var chosen = accepted()
    chosen.handle(.planChosen(World.small))
    chosen.handle(.planChosen(World.basic))
    #expect(chosen.machine.nextOffer == nil && chosen.machine.nextPrice == World.basic.price)
  }

  @Test("SUB-24: a declined charge of an accepted offer is tried again at the offer's price")
  func declined() {
    var world = accepted()
    world.wake(paying: false)
    world.pass(to: moment("03-01"))
    #expect(world.machine.stage == .grace && world.machine.nextPrice == World.code.price)
    world.wake(paying: true)
    #expect(world.periods.last?.price == World.code.price && world.periods.last?.start == moment("02-28"))
  }

  @Test("SUB-24: a purchase of a higher plan, and the end of the subscription, drop an accepted offer")
  func drops() {
    var upgraded = accepted()
    upgraded.handle(.purchased(World.pro))
    #expect(upgraded.machine.nextOffer == nil && upgraded.machine.nextPrice == World.pro.price)
    for event in [SubscriptionEvent.stopped, .refunded(period: 1, .refund)] {
      var world = accepted()
      world.handle(event)
      #expect(world.machine.nextOffer == nil && world.charges.isEmpty)
    }
  }

  @Test("SUB-24: a charge that was sent before another plan is chosen begins the offer")
  func chosenMeanwhile() throws {
    var world = accepted()
    world.wake()
    let charge = try #require(world.charges.last)
    world.handle(.planChosen(World.small))
    world.handle(.chargeSucceeded(charge))
    #expect(world.periods.last?.price == World.code.price && world.machine.nextPlan == World.small)
    world.handle(.planChosen(World.basic))
    #expect(world.machine.nextPrice == World.code.price, "one payment of the offer is left")
  }

  @Test("SUB-24: no offer is accepted beside another one, from the charge on, or in another currency")
  func refused() {
    let refusal: [SubscriptionEffect] = [.refused(.offerNotEligible)]
    var world = accepted()
    #expect(world.handle(.offerAccepted(World.code, of: World.basic)) == refusal)
    world.pass(to: moment("03-01"), paying: true)
    #expect(world.handle(.offerAccepted(World.code, of: World.basic)) == refusal, "one payment of the offer is left")
    world.handle(.planChosen(World.small))
    #expect(
      world.handle(.offerAccepted(World.code, of: World.basic)) == refusal, "it is left behind a chosen plan, too")
    var ending = running()
    ending.handle(.autoRenewSwitched(on: false))
    ending.now = moment("02-28") - 3600
    #expect(ending.handle(.offerAccepted(World.code, of: World.basic)) == refusal, "the charge is due")
    var (other, plan) = (running(), World.basic)
    plan.price = Money(minorUnits: 499, currency: Currency(code: "USD") ?? .eur)
    #expect(other.handle(.offerAccepted(World.code, of: plan)) == refusal)
    #expect(other.handle(.offerAccepted(World.trial, of: World.basic)) == refusal, "it is an introductory one")
  }

  @Test("SUB-24: an early renewal that is refunded drops the next period, and the running one stays to its end")
  func refundedNext() throws {
    var world = running()
    world.wake(paying: true)
    let effects = world.handle(.refunded(period: 2, .refund))
    let running = try #require(world.machine.period)
    #expect(effects == [.periodDropped(running: running)] && running.number == 2)
    #expect(world.machine.entitledUntil == moment("02-28") && !world.machine.autoRenews)
  }
}
