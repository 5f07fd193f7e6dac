import Foundation
import OnsideCommerce
import Testing

/// Every cell of the table in `SubscriptionMachine`'s documentation: the documentation is the expectation.
@Suite(.timeLimit(.minutes(5))) struct SubscriptionTableTests {
  typealias World = SubscriptionWorld

  static let states = ["never", "active", "ending", "due", "grace", "retry", "paused", "expired", "revoked"]

  static let events: [(name: String, event: @Sendable (World) -> SubscriptionEvent)] = [
    ("purchased", { _ in .purchased(World.basic) }),
    ("purchased with intro offer", { _ in .purchased(World.pro, offer: World.trial) }),
    ("purchased with code offer", { _ in .purchased(World.basic, offer: World.code) }),
    ("purchased, higher", { _ in .purchased(World.pro) }),
    ("purchased, lower", { _ in .purchased(World.small) }),
    ("granted", { .granted(World.basic, until: $0.now + 86_400) }),
    ("extended", { .extended(to: ($0.machine.period?.end ?? $0.now) + 86_400) }),
    ("chosen, higher", { _ in .planChosen(World.pro) }),
    ("chosen, lower", { _ in .planChosen(World.small) }),
    ("offer accepted", { _ in .offerAccepted(World.code, of: World.basic) }),
    ("charge succeeded", { .chargeSucceeded(charge($0)) }),
    ("charge failed", { .chargeFailed(charge($0)) }),
    ("charge without method", { .chargeFailed(charge($0), hasMethod: false) }),
    ("method changed", { _ in .retryRequested }),
    ("renewal off", { _ in .autoRenewSwitched(on: false) }),
    ("renewal on", { _ in .autoRenewSwitched(on: true) }),
    ("price changed", { _ in .priceChanged(to: Money(minorUnits: 599, currency: .eur), needsConsent: true) }),
    ("price accepted", { _ in .priceAnswered(accepted: true) }),
    ("price declined", { _ in .priceAnswered(accepted: false) }),
    ("pause requested", { _ in .pauseRequested(until: nil) }),
    ("resumed", { _ in .resumed }),
    ("refunded", { .refunded(period: $0.machine.period?.number ?? 1, .refund) }),
    ("stopped", { _ in .stopped }),
    ("clock", { _ in .clock }),
  ]

  @Test("STO-9: every event in every state does what the documented table says", arguments: events.indices)
  func row(index: Int) throws {
    let event = Self.events[index]
    let actual = Self.states.map {
      Self.outcome(of: event.event, in: Self.world($0, priced: event.name.hasPrefix("price ")))
    }
    let documented = try Self.documented()[event.name]
    #expect(documented == actual, "/// | \(event.name) | \(actual.joined(separator: " | ")) |")
  }

  @Test("STO-9: the documented table has the rows and columns that are walked, and no others")
  func complete() throws {
    let result = try Set(Self.documented().keys)
    #expect(result == Set(Self.events.map(\.name)))
    let firstLine = try Self.lines().first
    #expect(firstLine == ["event"] + Self.states)
    #expect(Self.states.allSatisfy { Self.name(Self.world($0, priced: false).machine) == $0 })
  }

  /// The cells of the table in the source file.
  private static func lines() throws -> [[String]] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    let file = root.appending(path: "Sources/OnsideCommerce/Subscriptions/SubscriptionMachine.swift").standardized
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("/// | ") }
      .map { line in
        line.dropFirst(6).split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
      }
  }

  private static func documented() throws -> [String: [String]] {
    Dictionary(try lines().dropFirst().map { ($0[0], Array($0.dropFirst())) }, uniquingKeysWith: { $1 })
  }

  /// A subscription in a state, with a payment history and, if wanted, a price that waits for consent.
  private static func world(_ state: String, priced: Bool) -> World {
    var world = World()
    guard state != "never" else { return world }
    world.handle(.purchased(World.basic))
    world.wake(paying: true)
    switch state {
    case "ending": world.handle(.autoRenewSwitched(on: false))
    case "due": world.wake()
    case "grace": world.wake(paying: false)
    case "retry", "expired":
      while name(world.machine) != state { world.wake(paying: false) }
    case "paused":
      let moment = world.machine.wakesAt.map { $0 + 86_400 }
      world.handle(.pauseRequested(until: moment))
      world.wake()
    case "revoked":
      world.wake()
      world.handle(.refunded(period: 2, .refund))
    default: break
    }
    if priced { world.handle(.priceChanged(to: Money(minorUnits: 699, currency: .eur), needsConsent: true)) }
    world.now += 3600
    world.effects = []
    return world
  }

  /// The charge that is talked about: the one asked for last.
  private static func charge(_ world: World) -> SubscriptionCharge {
    world.charges.last
      ?? SubscriptionCharge(number: 1, attempt: 1, plan: World.basic, offer: nil, price: World.basic.price)
  }

  private static func name(_ machine: SubscriptionMachine) -> String {
    switch machine.stage {
    case .never: "never"
    case .active: machine.autoRenews ? "active" : "ending"
    case .due: "due"
    case .grace: "grace"
    case .retry: "retry"
    case .paused: "paused"
    case .expired: "expired"
    case .revoked: "revoked"
    }
  }

  private static let short: [SubscriptionRefusal: String] = [
    .notSubscribed: "none", .alreadySubscribed: "has it", .offerNotEligible: "offer", .startsAtRenewal: "later",
    .startsAtOnce: "buy", .paymentDue: "due", .notRenewing: "off",
  ]

  private static func outcome(of event: (World) -> SubscriptionEvent, in world: World) -> String {
    var world = world
    let before = world.machine
    let event = event(world)
    if event == .clock, let moment = before.wakesAt { world.now = max(world.now, moment) }
    let effects = world.handle(event)
    if case .refused(let refusal) = effects.first { return "*\(short[refusal] ?? "")*" }
    var words: [String] = []
    let hasBegun = effects.contains { if case .began = $0 { true } else { false } }
    if name(world.machine) != name(before) || hasBegun { words.append(name(world.machine)) }
    let isUnpaid = [.due, .grace, .retry].contains(before.stage)
    if hasBegun, isUnpaid, world.machine.period?.start == before.period?.end { words.append("date stays") }
    for effect in effects {
      switch effect {
      case .charge: words.append("charge")
      case .refundUnused, .refundCharge: words.append("refund")
      default: break
      }
    }
    if words.isEmpty { words.append(world.machine == before ? "–" : "set") }
    return words.joined(separator: ", ")
  }
}
