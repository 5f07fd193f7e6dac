import DeterministicRandom
import Foundation
import OnsideCommerce
import Testing

/// Random event sequences of a subscription, checked against independent accounting.
@Suite(.timeLimit(.minutes(5))) struct SubscriptionWalkTests {
  typealias World = SubscriptionWorld

  /// The payments, counted outside the machine.
  struct Book {
    var succeeded: Set<SubscriptionCharge> = []
    /// How often the money of a charge was kept, and how often it was given back.
    var kept: [SubscriptionCharge: Int] = [:]
    var returned: [SubscriptionCharge: Int] = [:]
    var paidUntil = Date.distantPast
    var lastPeriod: PaidPeriod?
    /// The periods of which an unused part went back, by their numbers.
    var givenBack: Set<Int> = []

    /// - Parameter before: where the subscription stood before the event.
    mutating func note(
      _ effects: [SubscriptionEffect], after event: SubscriptionEvent, at now: Date, before: SubscriptionMachine.Stage
    ) {
      if case .chargeSucceeded(let charge) = event {
        succeeded.insert(charge)
        let isKept = effects.contains { if case .began = $0 { true } else { false } }
        if isKept { kept[charge, default: 0] += 1 }
      }
      for effect in effects {
        switch effect {
        case .began(let period):
          let isPurchase = if case .purchased = event { true } else { false }
          if let lastPeriod {
            #expect(period.number == lastPeriod.number + 1)
            #expect(isPurchase || period.start >= lastPeriod.end, "two renewals for one time")
            // A gap is one that a purchase, or money after the grace period or a pause, has left.
            #expect(isPurchase || before == .retry || period.start == lastPeriod.end, "a gap that no rule explains")
            let isAhead = period.offer == World.code && period.start == lastPeriod.end
            if isPurchase && !isAhead || before == .retry { #expect(period.start == now) }
          }
          #expect(period.end > period.start)
          lastPeriod = period
          paidUntil = period.end
        case .refundCharge(let charge): returned[charge, default: 0] += 1
        case .refundUnused(let money, let period):
          #expect(money.minorUnits > 0 && money.minorUnits <= period.price.minorUnits)
          #expect(givenBack.insert(period.number).inserted, "the unused part of a period goes back once")
          #expect(period.end > now && period.number > (lastPeriod?.number ?? 0) - 2)
        case .periodDropped(let running):
          #expect(running.number == lastPeriod?.number && running.end == lastPeriod?.start)
          (lastPeriod, paidUntil) = (running, running.end)
        case .revoked: paidUntil = .distantPast
        default: break
        }
      }
    }
  }

  @Test("STO-9: no account has more than was paid plus grace, and no period is paid twice", arguments: 0..<200)
  func walk(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let terms = SubscriptionTerms(
      grantsGrace: Bool.random(using: &random), leadTime: Bool.random(using: &random) ? 0 : 3600)
    var world = World(terms)
    var book = Book()
    for _ in 0..<250 {
      world.now += Double(Int.random(in: 0...(86_400 * 12), using: &random))
      if Bool.random(using: &random), let moment = world.machine.wakesAt { world.now = max(world.now, moment) }
      let asleep = world.machine.stage
      let clock = world.handle(.clock)
      book.note(clock, after: .clock, at: world.now, before: asleep)
      check(world, with: book)
      let event = event(for: world, &random)
      let before = world.machine
      let effects = world.handle(event)
      if case .refused = effects.first { #expect(world.machine == before, "a refused \(event) changes nothing") }
      book.note(effects, after: event, at: world.now, before: before.stage)
      check(world, with: book)
    }
    for charge in book.succeeded {
      let count = book.kept[charge, default: 0] + book.returned[charge, default: 0]
      #expect(count == 1, "every payment is kept once or given back once: \(charge)")
    }
  }

  private func check(_ world: World, with book: Book) {
    if world.machine.stage == .due { #expect(world.machine.openCharge != nil, "what is due is being paid") }
    guard let end = world.machine.entitledUntil else { return }
    let grace: TimeInterval = world.machine.terms.grantsGrace ? 16 * 86_400 : 0
    #expect(end <= book.paidUntil + grace)
    if world.machine.stage == .active { #expect(end <= book.paidUntil) }
    if let next = world.machine.wakesAt { #expect(next > world.now, "the clock has done all it can") }
  }

  private func event(for world: World, _ random: inout SeededRandom) -> SubscriptionEvent {
    let plans = [World.basic, World.pro, World.small, World.yearly]
    let plan = plans.randomElement(using: &random) ?? World.basic
    let charge = world.charges.suffix(3).randomElement(using: &random)
    switch Int.random(in: 0..<20, using: &random) {
    case 0...1: return .purchased(plan, offer: [nil, World.trial, World.code].randomElement(using: &random) ?? nil)
    case 2: return .planChosen(plan)
    case 3...8: return charge.map { .chargeSucceeded($0) } ?? .purchased(plan)
    case 9...11: return charge.map { .chargeFailed($0, isFinal: Bool.random(using: &random)) } ?? .clock
    case 12: return .methodChanged
    case 13: return .autoRenewSwitched(on: Bool.random(using: &random))
    case 14: return .priceChanged(to: plan.price, needsConsent: Bool.random(using: &random))
    case 15: return .priceAnswered(accepted: Bool.random(using: &random))
    case 16: return .pauseRequested(until: Bool.random(using: &random) ? nil : world.now + 86_400 * 40)
    case 17: return .resumed
    case 18: return .refunded(period: Int.random(in: 1...8, using: &random), .refund)
    default: return .autoRenewSwitched(on: true)
    }
  }
}
