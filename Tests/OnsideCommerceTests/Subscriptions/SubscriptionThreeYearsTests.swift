import Foundation
import OnsideCommerce
import Testing

/// Three years of one account, against a table that a program in another language computed.
@Suite(.timeLimit(.minutes(5))) struct SubscriptionThreeYearsTests {
  typealias World = SubscriptionWorld

  /// Start, end, product and price of every period that is paid.
  static let table: [(start: String, end: String, product: String, price: Int64)] = [
    ("2026-01-31T10:00:00Z", "2026-02-28T10:00:00Z", "basic", 0),
    ("2026-02-28T10:00:00Z", "2026-03-31T10:00:00Z", "basic", 499),
    ("2026-03-31T10:00:00Z", "2026-04-30T10:00:00Z", "basic", 499),
    ("2026-04-30T10:00:00Z", "2026-05-31T10:00:00Z", "basic", 499),
    ("2026-05-31T10:00:00Z", "2026-06-30T10:00:00Z", "basic", 499),
    ("2026-06-30T10:00:00Z", "2026-07-31T10:00:00Z", "basic", 499),
    ("2026-07-31T10:00:00Z", "2026-08-31T10:00:00Z", "basic", 499),
    ("2026-08-31T10:00:00Z", "2026-09-30T10:00:00Z", "basic", 599),
    ("2026-09-30T10:00:00Z", "2026-10-31T10:00:00Z", "basic", 599),
    ("2026-10-31T10:00:00Z", "2026-11-30T10:00:00Z", "basic", 599),
    ("2026-11-30T10:00:00Z", "2026-12-31T10:00:00Z", "basic", 599),
    ("2026-12-31T10:00:00Z", "2027-01-31T10:00:00Z", "basic", 599),
    ("2027-01-31T10:00:00Z", "2027-02-28T10:00:00Z", "basic", 599),
    ("2027-03-20T12:00:00Z", "2027-04-20T12:00:00Z", "basic", 599),
    ("2027-04-20T12:00:00Z", "2027-05-20T12:00:00Z", "basic", 599),
    ("2027-05-20T12:00:00Z", "2027-06-20T12:00:00Z", "basic", 599),
    ("2027-08-05T00:00:00Z", "2027-09-05T00:00:00Z", "basic", 599),
    ("2027-09-05T00:00:00Z", "2028-09-05T00:00:00Z", "yearly", 4999),
    ("2028-02-29T00:00:00Z", "2028-03-29T00:00:00Z", "pro", 999),
    ("2028-03-29T00:00:00Z", "2028-04-29T00:00:00Z", "pro", 999),
    ("2028-04-29T00:00:00Z", "2028-05-29T00:00:00Z", "pro", 999),
    ("2028-05-29T00:00:00Z", "2028-06-29T00:00:00Z", "pro", 999),
    ("2028-06-29T00:00:00Z", "2028-07-29T00:00:00Z", "pro", 999),
    ("2028-07-29T00:00:00Z", "2028-08-29T00:00:00Z", "pro", 999),
    ("2028-08-29T00:00:00Z", "2028-09-29T00:00:00Z", "pro", 999),
    ("2028-09-29T00:00:00Z", "2028-10-29T00:00:00Z", "pro", 999),
    ("2028-10-29T00:00:00Z", "2028-11-29T00:00:00Z", "pro", 999),
    ("2028-11-29T00:00:00Z", "2028-12-29T00:00:00Z", "pro", 999),
    ("2028-12-29T00:00:00Z", "2029-01-29T00:00:00Z", "pro", 999),
    ("2029-01-29T00:00:00Z", "2029-02-28T00:00:00Z", "pro", 999),
  ]

  /// When something happens to the account, in order, and whether charges are paid from then on.
  static let story: [(at: String, event: SubscriptionEvent?, paying: Bool)] = [
    ("2026-01-31T10:00:00Z", .purchased(World.basic, offer: World.trial), true),
    ("2026-08-02T08:00:00Z", .priceChanged(to: Money(minorUnits: 599, currency: .eur), needsConsent: true), true),
    ("2026-08-20T08:00:00Z", .priceAnswered(accepted: true), true),
    // The card fails for some days; the grace period is not over when it works again.
    ("2026-11-15T00:00:00Z", nil, false), ("2026-12-05T00:00:00Z", nil, true),
    // It fails until after the grace period.
    ("2027-02-15T00:00:00Z", nil, false), ("2027-03-20T12:00:00Z", nil, true),
    ("2027-06-01T00:00:00Z", .pauseRequested(until: RFC3339.date("2027-08-05T00:00:00Z")), true),
    ("2027-08-10T00:00:00Z", .planChosen(World.yearly), true),
    ("2028-02-29T00:00:00Z", .purchased(World.pro), true),
    ("2029-02-10T00:00:00Z", .autoRenewSwitched(on: false), true),
  ]

  /// What the account has at some moments.
  static let stages: [(at: String, stage: SubscriptionMachine.Stage, entitled: Bool)] = [
    ("2026-02-10T00:00:00Z", .active, true), ("2026-12-01T00:00:00Z", .grace, true),
    ("2026-12-20T00:00:00Z", .active, true), ("2027-03-16T09:59:59Z", .grace, true),
    ("2027-03-16T10:00:00Z", .retry, false), ("2027-03-21T00:00:00Z", .active, true),
    ("2027-07-01T00:00:00Z", .paused(until: RFC3339.date("2027-08-05T00:00:00Z")), false),
    ("2027-08-05T00:00:00Z", .active, true), ("2028-02-28T23:59:59Z", .active, true),
    ("2029-02-27T23:59:59Z", .active, true), ("2029-02-28T00:00:00Z", .expired(.cancelled), false),
  ]

  @Test("STO-9: three years with trial, grace, retry, pause, price and plan changes give the table's periods")
  func periods() throws {
    let world = try play(to: "2029-06-01T00:00:00Z")
    let rows = world.periods.map { period in
      [RFC3339.text(period.start), RFC3339.text(period.end), period.plan.productID, "\(period.price.minorUnits)"]
    }
    #expect(rows == Self.table.map { [$0.start, $0.end, $0.product, "\($0.price)"] })
    #expect(world.machine.stage == .expired(.cancelled))
    let refunds = world.effects.compactMap { effect -> Int64? in
      guard case .refundUnused(let money, _) = effect else { return nil }
      return money.minorUnits
    }
    #expect(refunds == [2581], "189 of 366 days of 49.99")
  }

  @Test("STO-9: what the account has in between", arguments: stages.indices)
  func between(row: Int) throws {
    let expected = Self.stages[row]
    let world = try play(to: expected.at)
    #expect(world.machine.stage == expected.stage)
    #expect(world.machine.isEntitled(at: world.now) == expected.entitled)
  }

  @Test("STO-9: a subscription survives JSON at every moment of the story")
  func json() throws {
    for (moment, _, _) in Self.story {
      let machine = try play(to: moment).machine
      let data = try JSONEncoder().encode(machine)
      let decoded = try JSONDecoder().decode(SubscriptionMachine.self, from: data)
      #expect(decoded == machine)
    }
  }

  private func play(to end: String) throws -> World {
    var world = World()
    var paying = true
    let end = try #require(RFC3339.date(end))
    for step in Self.story {
      let moment = try #require(RFC3339.date(step.at))
      guard moment <= end else { break }
      world.pass(to: moment, paying: paying)
      let worksAgain = step.paying && !paying
      paying = step.paying
      if let event = step.event { world.handle(event, paying: paying) }
      if worksAgain, let last = world.charges.last { world.handle(.chargeSucceeded(last), paying: paying) }
    }
    world.pass(to: end, paying: paying)
    return world
  }
}
