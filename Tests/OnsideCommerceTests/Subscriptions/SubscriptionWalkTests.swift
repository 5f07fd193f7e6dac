import DeterministicRandom
import Foundation
import OnsideCommerce
import Testing

/// Random plans, dates and events of a subscription, checked against independent accounting.
@Suite(.timeLimit(.minutes(5))) struct SubscriptionWalkTests {
  typealias World = SubscriptionWorld

  @Test(
    "STO-9: periods neither overlap nor leave a gap that no rule explains, and no sum is lost to rounding",
    arguments: 0..<200)
  func walk(seed: UInt64) { _ = Self.book(of: seed) }

  @Test("STO-9: the walks meet everything that can become of a period")
  func meetsAll() {
    let met = (0..<200).reduce(into: Set()) { $0.formUnion(Self.book(of: $1).met) }
    #expect(met == Set(SubscriptionBook.Happening.allCases))
  }

  /// Walks, checks each step, and returns what was counted.
  private static func book(of seed: UInt64) -> SubscriptionBook {
    var random = SeededRandom(seed: seed)
    let shop = WalkShop(&random)
    let terms = SubscriptionTerms(grantsGrace: random.chance(50), leadTime: random.chance(50) ? 0 : 3600)
    var world = World(terms)
    world.now = shop.start
    var book = SubscriptionBook()
    for _ in 0..<250 {
      // A next period that is paid early begins within the hour.
      let isShort = random.chance(40)
      world.now += Double(random.pick(0...(isShort ? 900 : 86_400 * 12)))
      if !isShort, random.chance(60), let moment = world.machine.wakesAt { world.now = max(world.now, moment) }
      tell(.clock, to: &world, &book)
      if let next = world.machine.wakesAt { #expect(next > world.now, "the clock has done all it can") }
      tell(event(for: world, in: shop, &random), to: &world, &book)
    }
    book.close()
    return book
  }

  private static func tell(_ event: SubscriptionEvent, to world: inout World, _ book: inout SubscriptionBook) {
    let before = world.machine
    let effects = world.handle(event)
    if case .refused = effects.first { #expect(world.machine == before, "a refused \(event) changes nothing") }
    book.note(effects, after: event, at: world.now, before: before)
    check(world, with: book)
  }

  private static func check(_ world: World, with book: SubscriptionBook) {
    let machine = world.machine
    if machine.stage == .due { #expect(machine.openCharge != nil, "what is due is being paid") }
    let now = Int(world.now.timeIntervalSince1970)
    if let paid = book.paidUntil, paid > now { #expect(machine.isEntitled(at: world.now), "who has paid has access") }
    guard let end = machine.entitledUntil, let plan = machine.period?.plan else { return }
    let isShort =
      plan.period.unit == .week && plan.period.count == 1 || plan.period.unit == .day && plan.period.count <= 7
    let days = machine.terms.grantsGrace ? min(plan.graceDays ?? 16, isShort ? 6 : 28) : 0
    let allowed = (book.paidUntil ?? 0) + (machine.stage == .active ? 0 : days * 86_400)
    #expect(Int(end.timeIntervalSince1970) <= allowed, "nobody has more than was paid, and grace")
  }

  private static func event(
    for world: World, in shop: WalkShop, _ random: inout SeededRandom
  ) -> SubscriptionEvent {
    let present = random.chance(25) ? world.machine.period?.plan : nil
    let plan = present ?? random.pick(shop.plans)
    let charge = world.charges.suffix(3).randomElement(using: &random)
    switch random.pick(0...23) {
    case 0...1, 20: return .purchased(plan, offer: random.pick([nil] + shop.offers))
    case 2: return .planChosen(plan)
    case 23: return .offerAccepted(random.pick(shop.offers), of: present ?? plan)
    case 3...8: return charge.map { .chargeSucceeded($0) } ?? .purchased(plan)
    case 9...11:
      let (isFinal, hasMethod) = (random.chance(50), random.chance(75))
      return charge.map { .chargeFailed($0, isFinal: isFinal, hasMethod: hasMethod) } ?? .clock
    case 12: return .retryRequested
    case 13: return .autoRenewSwitched(on: random.chance(50))
    case 14:
      return .priceChanged(to: shop.price(&random), needsConsent: random.chance(50), keepsPrice: random.chance(30))
    case 15: return .priceAnswered(accepted: random.chance(50))
    case 16: return .pauseRequested(until: random.chance(50) ? nil : world.now + 86_400 * 40)
    case 17: return .resumed
    case 22 where random.chance(40):
      return .extended(to: (world.machine.period?.end ?? world.now) + 86_400 * Double(random.pick(-5...40)))
    case 18, 21, 22: return .refunded(period: refundedNumber(world, &random), .refund)
    default: return .autoRenewSwitched(on: true)
    }
  }

  /// Mostly one of the last periods.
  private static func refundedNumber(_ world: World, _ random: inout SeededRandom) -> Int {
    random.pick([world.machine.period?.number, world.machine.earlierPeriod?.number].compactMap(\.self) + [1, 2])
  }
}
