import Foundation
import OnsideCommerce
import Testing

/// Periods of price 0 that the store grants, and paid periods whose end it moves.
@Suite(.timeLimit(.minutes(5))) struct SubscriptionGrantTests {
  typealias World = SubscriptionWorld

  /// A subscription whose first period was revoked on its tenth day and granted again on its twelfth, to its end.
  private static func granted() throws -> (world: World, end: Date) {
    var world = World(SubscriptionTerms(leadTime: 3600))
    world.handle(.purchased(World.basic))
    let end = try #require(world.machine.period?.end)
    world.now += 10 * 86_400
    world.handle(.refunded(period: 1, .refund))
    world.now += 2 * 86_400
    world.handle(.granted(World.basic, until: end))
    return (world, end)
  }

  @Test("SUB-20: a granted period costs 0, has the next number, ends at its given moment, and does not renew")
  func ends() throws {
    var (world, end) = try Self.granted()
    let period = try #require(world.machine.period)
    #expect(period.number == 2 && period.price == .zero(.eur) && period.start == world.now && period.end == end)
    #expect(!world.machine.autoRenews && world.machine.isEntitled(at: end - 1))
    world.pass(to: end, paying: true)
    #expect(world.machine.stage == .expired(.cancelled) && world.charges.isEmpty)
  }

  @Test("SUB-20: with the renewal switched on, the regular price is charged for the period behind the granted one")
  func renewed() throws {
    var (world, end) = try Self.granted()
    world.handle(.autoRenewSwitched(on: true))
    world.pass(to: end, paying: true)
    #expect(world.charges.map(\.price) == [World.basic.price])
    #expect(world.machine.period?.start == end && world.machine.period?.number == 3)
  }

  @Test("SUB-20: a higher plan bought during a granted period refunds nothing")
  func upgraded() throws {
    var (world, _) = try Self.granted()
    let effects = world.handle(.purchased(World.pro))
    #expect(effects.count == 1 && world.periods.last == world.machine.period)
    #expect(world.machine.period?.plan == World.pro)
  }

  @Test("SUB-20: a refund of the granted period's number revokes it")
  func revoked() throws {
    var (world, _) = try Self.granted()
    world.handle(.refunded(period: 2, .refund))
    #expect(world.machine.stage == .revoked(Revocation(date: world.now, reason: .refund)))
  }

  @Test("SUB-20: late money of a renewal from before the revocation is refunded during a granted period")
  func lateCharge() throws {
    var world = World(SubscriptionTerms(leadTime: 3600))
    world.handle(.purchased(World.basic))
    world.wake()
    let (charge, end) = (try #require(world.charges.last), try #require(world.machine.period?.end))
    world.handle(.refunded(period: 1, .refund))
    world.handle(.granted(World.basic, until: end))
    #expect(world.handle(.chargeSucceeded(charge)) == [.refundCharge(charge)])
  }

  @Test("SUB-20: a moment that has passed and a group with a subscription get no granted period")
  func refused() throws {
    var (world, end) = try Self.granted()
    #expect(world.handle(.granted(World.basic, until: end + 86_400)) == [.refused(.alreadySubscribed)])
    world.pass(to: end)
    let before = world.machine
    #expect(world.handle(.granted(World.basic, until: end)) == [.refused(.alreadySubscribed)])
    #expect(world.machine == before)
  }

  @Test("SUB-22: an extended period ends later, and the next ones are counted from its new end")
  func extended() throws {
    var world = World(SubscriptionTerms(leadTime: 3600))
    world.handle(.purchased(World.basic))
    let end = try #require(world.machine.period?.end)
    let later = end + 7 * 86_400
    #expect(world.handle(.extended(to: later)) == [])
    #expect(world.machine.entitledUntil == later && world.machine.nextChargeAt == later - 3600)
    world.wake(paying: true)
    #expect(world.charges.map(\.price) == [World.basic.price])
    #expect(world.machine.period?.start == later)
    #expect(world.machine.period?.end == Period.oneMonth.adding(to: later, times: 1))
    let before = world.machine
    #expect(world.handle(.extended(to: later)) == [.refused(.paymentDue)], "the next period is paid already")
    world.now = later
    #expect(world.handle(.extended(to: later)) == [] && world.machine == before, "it ends later already")
  }

  @Test("SUB-22: a planned pause keeps its length when the period before it is extended")
  func extendedBeforePause() throws {
    var world = World()
    world.handle(.purchased(World.basic))
    let end = try #require(world.machine.period?.end)
    world.handle(.pauseRequested(until: end + 30 * 86_400))
    world.handle(.extended(to: end + 7 * 86_400))
    #expect(world.machine.plannedPauseEnd == end + 37 * 86_400)
    world.pass(to: end + 7 * 86_400)
    #expect(world.machine.stage == .paused(until: end + 37 * 86_400))
  }

  @Test("SUB-22: while its renewal is charged or declined, a period is not extended")
  func extendedWhileCharged() throws {
    var world = World(SubscriptionTerms(leadTime: 3600))
    world.handle(.purchased(World.basic))
    let end = try #require(world.machine.period?.end)
    world.wake()
    #expect(world.handle(.extended(to: end + 86_400)) == [.refused(.paymentDue)])
    world.handle(.chargeFailed(try #require(world.machine.openCharge)))
    #expect(world.handle(.extended(to: end + 86_400)) == [.refused(.paymentDue)])
  }
}
