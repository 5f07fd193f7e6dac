import Foundation
import OnsideAPI
import OnsideCommerce
import StoreTestSupport
import Testing

@testable import StoreSales

/// Random machines: one event in each transaction after the time is applied, as in a store.
@Suite("Events of random subscriptions", .timeLimit(.minutes(5)))
struct SubscriptionEventReplayTests {
  private static let seeds: Range<UInt64> = 0..<100
  private static let plans = [
    SubscriptionLife.basic, SubscriptionLife.other, SubscriptionLife.yearly, SubscriptionLife.pro,
    SubscriptionLife.small,
  ]

  @Test("MER-4: the events lead to the state of the subscription, and each change of it has an event", arguments: seeds)
  func replay(seed: UInt64) { _ = Self.types(of: seed) }

  @Test("The random subscriptions have events of all types")
  func reach() {
    let met = Self.seeds.reduce(into: Set<MerchantEventType>()) { $0.formUnion(Self.types(of: $1)) }
    let all = MerchantEventType.all.filter { $0.rawValue.hasPrefix("subscription.") }
    #expect(Set(all).subtracting(met).map(\.rawValue) == [])
  }

  /// Runs a random subscription, checks each transaction, and returns the types of its events.
  private static func types(of seed: UInt64) -> Set<MerchantEventType> {
    var random = SplitMix64(seed: seed)
    var (machine, now) = (SubscriptionMachine(terms: .store), SubscriptionLife.moment("01-10T00:00"))
    var (replay, types) = (SubscriptionReplay(), Set<MerchantEventType>())
    for _ in 0..<250 {
      now += Double(random.pick(0...(random.chance(40) ? 1800 : 86_400 * 9)))
      if random.chance(60), let moment = machine.wakesAt { now = max(now, moment) }
      let before = machine
      _ = machine.handle(.clock, at: now)
      let event = event(for: machine, at: now, &random)
      let isReinstated = machine.isRevoked && event.isGrant
      _ = machine.handle(event, at: now)
      let notes = SubscriptionEventTypes.notes(from: before, to: machine, isReinstated: isReinstated, at: now)
      for note in notes { replay.take(note, willRenew: machine.autoRenews) }
      types.formUnion(notes.map(\.type))
      check(replay, notes, from: before, to: machine, by: event)
    }
    return types
  }

  private static func check(
    _ replay: SubscriptionReplay, _ notes: [EventNote], from before: SubscriptionMachine,
    to after: SubscriptionMachine, by event: SubscriptionEvent
  ) {
    #expect(replay.faults == [], "\(event)")
    #expect(replay.state == SubscriptionStateName(after.stage), "\(event): \(notes.map(\.text))")
    if after.isSubscribed { #expect(replay.renews == after.autoRenews, "\(event): \(notes.map(\.text))") }
    if before == after { #expect(notes.isEmpty) }
    #expect(shown(before) == shown(after) || !notes.isEmpty, "\(event) changes what is shown without an event")
  }

  /// What the object shows, without the next price and the end of a grace period, which change without an event.
  private static func shown(_ machine: SubscriptionMachine) -> SubscriptionMessage {
    var message = SubscriptionMessage(machine, groupID: "plans") { PriceMessage($0, formatted: "") }
    (message.nextPrice, message.graceUntil) = (nil, nil)
    return message
  }

  private static func event(
    for machine: SubscriptionMachine, at now: Date, _ random: inout SplitMix64
  ) -> SubscriptionEvent {
    let plan = random.pick(plans)
    if let charge = machine.openCharge, random.chance(60) {
      return random.chance(50)
        ? .chargeSucceeded(charge)
        : .chargeFailed(charge, isFinal: random.chance(20), hasMethod: random.chance(80))
    }
    if machine.isRevoked, random.chance(30) { return .granted(plan, until: now + 864_000) }
    let end = machine.period?.end ?? now
    let number = machine.period?.number ?? 1
    switch random.pick(0...15) {
    case ..<3: return .purchased(plan, offer: random.chance(30) ? random.pick(offers) : nil)
    case 3: return .granted(plan, until: now + 864_000)
    case 4: return .extended(to: end + 864_000)
    case 5, 6: return .planChosen(plan)
    case 7: return .offerAccepted(SubscriptionLife.code, of: machine.period?.plan ?? plan)
    case 8: return .retryRequested
    case 9: return .autoRenewSwitched(on: random.chance(70))
    case 10:
      let cents = Int64(random.pick([799, 1099, 1599]))
      return .priceChanged(
        to: SubscriptionLife.euros(cents), needsConsent: random.chance(60), keepsPrice: random.chance(50))
    case 11: return .priceAnswered(accepted: random.chance(60))
    case 12: return .pauseRequested(until: end + 86_400 * 60)
    case 13: return .resumed
    case 14: return random.chance(20) ? .refunded(period: number - random.pick(0...1), .refund) : .clock
    default: return random.chance(10) ? .stopped : .clock
    }
  }

  private static let offers = [SubscriptionLife.trial, SubscriptionLife.half, SubscriptionLife.code]
}

extension SubscriptionMachine {
  fileprivate var isRevoked: Bool {
    if case .revoked = stage { true } else { false }
  }
}

extension SubscriptionEvent {
  fileprivate var isGrant: Bool {
    if case .granted = self { true } else { false }
  }
}
