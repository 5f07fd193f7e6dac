import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// Prices that change for present subscribers.
@Suite("Prices of subscriptions", .timeLimit(.minutes(5)))
struct PriceChangeTests {
  /// A subscriber to a plan of € 9.99, whose price in the catalogue is another one since, and what became of it.
  private static func repriced(
    to price: Int64, _ body: @escaping @Sendable (Subscriber, PriceChangeReport.Outcome?) async throws -> Void
  ) async throws {
    try await MessageShop.open(sender: Inbox()) { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(days: 10)
      let outcome = try await subscriber.reprice(to: price)
      try await shopper.store.core.deliverOutbox()
      try await body(subscriber, outcome)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-8: a rise below the limits, and a lower price, apply with the next renewal, and nobody is asked")
  func told() async throws {
    for (price, expected): (Int64, PriceChangeReport.Outcome) in [(1499, .higher), (799, .lower)] {
      try await Self.repriced(to: price) { subscriber, outcome in
        #expect(outcome == expected)
        let actualOutcome = try await subscriber.reprice(to: price)
        #expect(actualOutcome == .unchanged)
        try await subscriber.pass(days: 63)
        let minorUnits = try await subscriber.renewals().map(\.price.minorUnits)
        #expect(minorUnits == [price, price])
      }
    }
  }

  @Test("SUB-8: without an answer the full price is never charged, and the subscription ends with its period")
  func unanswered() async throws {
    try await Self.repriced(to: 1599) { subscriber, outcome in
      #expect(outcome == .asked)
      try await subscriber.pass(days: 90)
      let renewals = try await subscriber.renewals()
      #expect(renewals.isEmpty)
      let stage = try await subscriber.machine().stage
      #expect(stage == .expired(.priceNotAccepted))
      let asked = try #require(try await subscriber.priceChanges().first)
      #expect(asked.needsConsent && asked.answer == nil && asked.old.minorUnits == 999)
      #expect(asked.appliesAt == "02-10".midnight)
    }
  }

  @Test("SUB-8: a price that another process has imported meanwhile is the one that present subscribers get")
  func importedElsewhere() async throws {
    try await MessageShop.open(sender: Inbox()) { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(days: 10)
      let (here, app) = (shopper.store, TestShop.app.id)
      let there = try await here.another(seed: 2)
      try await there.core.catalogue.replace(try PlanShop.catalogue(["basic": 1099]), of: app)
      #expect(here.core.catalogue.product("basic", of: app)?.price(in: .netherlands)?.minorUnits == 999)
      let report = try await here.core.subscriptions.reprice("basic", of: app)
      #expect(report.counts.map(\.key.new?.minorUnits) == [1099])
      let minorUnits = try await subscriber.machine().nextPrice?.minorUnits
      #expect(minorUnits == 1099)
      withExtendedLifetime(there) {}
    }
  }

  @Test("SUB-8: who agrees to the price that was shown is charged it, and the answer is kept")
  func agreed() async throws {
    try await Self.repriced(to: 1599) { subscriber, _ in
      #expect(try await !subscriber.answer(accepts: true, at: 999), "another price than the one that is asked about")
      #expect(try await subscriber.answer(accepts: true, at: 1599))
      #expect(try await !subscriber.answer(accepts: false, at: 1599), "it was answered")
      try await subscriber.pass(days: 32)
      let minorUnits = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(minorUnits == [1599])
      let change = try #require(try await subscriber.priceChanges().first)
      #expect(change.answer == .accepted && change.answeredAt == "01-20".midnight)
    }
  }

  @Test("SUB-8: who declines is not renewed, and renews again at the new price only")
  func declined() async throws {
    try await Self.repriced(to: 1599) { subscriber, _ in
      let (key, core) = (subscriber.key, subscriber.shopper.store.core)
      #expect(try await subscriber.answer(accepts: false, at: 1599))
      let autoRenews = try await subscriber.machine().autoRenews
      #expect(autoRenews == false)
      func renew(at price: Int64) async throws -> Bool {
        try await core.subscriptions.setAutoRenew(
          true, shownPrice: Money(minorUnits: price, currency: .eur), of: key)
      }
      #expect(try await !renew(at: 999))
      #expect(try await renew(at: 1599))
      let answers = try await subscriber.priceChanges()
      #expect(answers.map(\.answer) == [.declined, .accepted], "no answer is written over")
      #expect(answers.allSatisfy { $0.needsConsent && $0.new.minorUnits == 1599 && $0.answeredAt != nil })
      try await subscriber.pass(days: 32)
      let minorUnits = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(minorUnits == [1599])
    }
  }

  @Test(
    "SUB-8: a price that was declined and is withdrawn then leaves the renewal off, until it is switched on (case 65)")
  func withdrawn() async throws {
    for isSwitchedOn in [false, true] {
      try await Self.repriced(to: 1599) { subscriber, _ in
        #expect(try await subscriber.answer(accepts: false, at: 1599))
        let outcome = try await subscriber.reprice(to: 999)
        #expect(outcome == .lower)
        let autoRenews = try await subscriber.machine().autoRenews
        #expect(autoRenews == false)
        if isSwitchedOn { #expect(try await subscriber.setAutoRenew(true)) }
        try await subscriber.pass(days: 32)
        let minorUnits = try await subscriber.renewals().map(\.price.minorUnits)
        #expect(minorUnits == (isSwitchedOn ? [999] : []))
        let isLapsed = try await subscriber.machine().isLapsed
        #expect(isLapsed == !isSwitchedOn)
        let answers = try await subscriber.priceChanges().map(\.answer)
        #expect(answers == [.declined, nil])
      }
    }
  }

  @Test("SUB-9: a message about a later day announces no earlier one: the price is deferred when a pause is dropped")
  func pauseDropped() async throws {
    try await MessageShop.open(sender: Inbox()) { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "basic"), shopper.store.core)
      #expect(try await core.subscriptions.pause(months: 3, of: subscriber.key))
      let outcome = try await subscriber.reprice(to: 1099)
      #expect(outcome == .higher)
      let starts = try await subscriber.priceChanges().map(\.appliesAt)
      #expect(starts == ["05-10".midnight])
      #expect(try await core.subscriptions.dropPause(of: subscriber.key))
      let secondStarts = try await subscriber.priceChanges().map(\.appliesAt)
      #expect(secondStarts == ["02-10".midnight])
      try await subscriber.pass(to: try #require("03-15".midnight))
      let minorUnits = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(minorUnits == [999, 1099])
      let secondOutcome = try await subscriber.reprice(to: 1149)
      #expect(secondOutcome == .asked, "the second rise within a year")
      let answers = try await subscriber.priceChanges().map(\.answer)
      #expect(answers == [.deferred, nil, nil])
    }
  }

  @Test(
    "SUB-8: the date of a price moves with a pause that is taken back with the renewal, or with the card",
    arguments: [false, true])
  func pauseSwitchedOff(removesCard: Bool) async throws {
    try await MessageShop.open(sender: Inbox()) { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "basic"), shopper.store.core)
      #expect(try await core.subscriptions.pause(months: 3, of: subscriber.key))
      let outcome = try await subscriber.reprice(to: 1099)
      #expect(outcome == .higher)
      if removesCard {
        let card = try #require(try await subscriber.method())
        #expect(try await core.payments.remove(card.id, of: subscriber.key.account))
      } else {
        #expect(try await subscriber.setAutoRenew(false))
        #expect(try await subscriber.setAutoRenew(true))
      }
      let starts = try await subscriber.priceChanges().map(\.appliesAt)
      #expect(starts == ["02-10".midnight])
    }
  }

  @Test("SUB-8: a price that is charged when a pause is ended early, or an hour before its day, stays in the evidence")
  func pauseEnded() async throws {
    try await MessageShop.open(sender: Inbox()) { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "basic"), shopper.store.core)
      #expect(try await core.subscriptions.pause(months: 3, of: subscriber.key))
      try await subscriber.pass(to: try #require("03-01".midnight))
      let outcome = try await subscriber.reprice(to: 1099)
      #expect(outcome == .higher)
      let price = Money(minorUnits: 1099, currency: .eur)
      #expect(try await core.subscriptions.resume(shownPrice: price, of: subscriber.key))
      try await core.deliverOutbox()
      let starts = try await subscriber.priceChanges().map(\.appliesAt)
      #expect(starts == ["03-01".midnight])
      try await subscriber.pass(days: 10)
      let secondOutcome = try await subscriber.reprice(to: 1049)
      #expect(secondOutcome == .lower)
      try await subscriber.pass(to: try #require("04-01".midnight) - 1800)
      let minorUnits = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(minorUnits == [1099, 1049])
      let thirdOutcome = try await subscriber.reprice(to: 1149)
      #expect(thirdOutcome == .asked)
      let answers = try await subscriber.priceChanges().map(\.answer)
      #expect(answers == [.accepted, nil, nil])
    }
  }

  @Test("SUB-8: who declined, chose another plan and took it back is asked once more, and both answers are kept")
  func askedAgain() async throws {
    try await Self.repriced(to: 1599) { subscriber, _ in
      #expect(try await subscriber.answer(accepts: false, at: 1599))
      let outcome = try await subscriber.choose("small", at: 499)
      #expect(outcome == .planned)
      let secondOutcome = try await subscriber.choose("basic", at: 0)
      #expect(secondOutcome == .kept)
      let answers = try await subscriber.priceChanges().map(\.answer)
      #expect(answers == [.declined, nil])
      #expect(try await subscriber.answer(accepts: true, at: 1599))
      let secondAnswers = try await subscriber.priceChanges().map(\.answer)
      #expect(secondAnswers == [.declined, .accepted])
      try await subscriber.pass(days: 32)
      let renewals = try await subscriber.renewals()
      #expect(renewals.isEmpty, "the renewal is off, as it was before the choice")
    }
  }

  @Test("SUB-8: after the end of the period no price is agreed to, also before the store has looked")
  func tooLate() async throws {
    try await Self.repriced(to: 1599) { subscriber, _ in
      let store = subscriber.shopper.store
      let end = try #require(subscriber.purchase.expiresAt)
      store.advance(by: .seconds(end.timeIntervalSince(store.clock.now()) + 1))
      #expect(try await !subscriber.answer(accepts: true, at: 1599))
      let price = Money(minorUnits: 1599, currency: .eur)
      #expect(try await !store.core.subscriptions.setAutoRenew(true, shownPrice: price, of: subscriber.key))
      let stage = try await subscriber.machine().stage
      #expect(stage == .expired(.priceNotAccepted))
      let answers = try await subscriber.priceChanges().map(\.answer)
      #expect(answers == [nil])
    }
  }

  @Test("SUB-8: a second rise within a year needs consent, and a newer price takes the place of the one before")
  func second() async throws {
    try await Self.repriced(to: 1099) { subscriber, outcome in
      #expect(outcome == .higher)
      try await subscriber.pass(days: 40)
      let actualOutcome = try await subscriber.reprice(to: 1199)
      #expect(actualOutcome == .asked)
      let secondOutcome = try await subscriber.reprice(to: 1149)
      #expect(secondOutcome == .asked)
      let answers = try await subscriber.priceChanges().map(\.answer)
      #expect(answers == [nil, .superseded, nil])
      #expect(try await !subscriber.answer(accepts: true, at: 1199))
      let thirdOutcome = try await subscriber.reprice(to: 1099)
      #expect(thirdOutcome == .lower, "the price is withdrawn")
      try await subscriber.pass(days: 31)
      let minorUnits = try await subscriber.renewals().last?.price.minorUnits
      #expect(minorUnits == 1099)
      try await subscriber.pass(days: 365)
      let fourthOutcome = try await subscriber.reprice(to: 1149)
      #expect(fourthOutcome == .higher)
    }
  }

  @Test("SUB-8: a price that waits for consent is not got around by another plan and back again")
  func aroundIt() async throws {
    try await Self.repriced(to: 1599) { subscriber, _ in
      let outcome = try await subscriber.choose("small", at: 499)
      #expect(outcome == .planned)
      let secondOutcome = try await subscriber.choose("basic", at: 0)
      #expect(secondOutcome == .kept)
      #expect(try await subscriber.answer(accepts: false, at: 1599))
      let thirdOutcome = try await subscriber.choose("small", at: 499)
      #expect(thirdOutcome == .planned)
      let fourthOutcome = try await subscriber.choose("basic", at: 0)
      #expect(fourthOutcome == .kept)
      #expect(try await subscriber.machine().awaitsConsent, "asked again")
      try await subscriber.pass(days: 90)
      let renewals = try await subscriber.renewals()
      #expect(renewals.isEmpty)
    }
  }

  @Test("SUB-8: a price does not change in the last day before a renewal")
  func soon() async throws {
    try await MessageShop.open(sender: Inbox()) { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(to: try #require(subscriber.purchase.expiresAt) - 80_000)
      let outcome = try await subscriber.reprice(to: 1099)
      #expect(outcome == .later)
      try await subscriber.pass(days: 1)
      let minorUnits = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(minorUnits == [999])
      let secondOutcome = try await subscriber.reprice(to: 1099)
      #expect(secondOutcome == .unchanged)
      let pending = try await subscriber.machine().pendingPrice?.minorUnits
      #expect(pending == 1099)
    }
  }

  @Test("SUB-8: what is being paid keeps its price, other regions and other plans are left alone, a dry run all of it")
  func leftAlone() async throws {
    try await MessageShop.open(sender: Inbox()) { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "basic"), shopper.store.core)
      try await core.catalogue.replace(try PlanShop.catalogue(["basic": 1599]), of: TestShop.app.id)
      let germany = try TestShop.country("DE")
      let counts = try await core.subscriptions.reprice("basic", of: TestShop.app.id, in: germany).counts
      #expect(counts.isEmpty)
      let secondCounts = try await core.subscriptions.reprice("small", of: TestShop.app.id).counts
      #expect(secondCounts.isEmpty)
      let dry = try await core.subscriptions.reprice("basic", of: TestShop.app.id, isDryRun: true)
      #expect(dry.counts.map(\.key.outcome) == [.asked])
      let pendingPrice = try await subscriber.machine().pendingPrice
      #expect(pendingPrice == nil)
      try await shopper.replaceCards(by: .declined)
      try await subscriber.pass(days: 33)
      let outcome = try await subscriber.reprice(to: 1599)
      #expect(outcome == .later)
      try await shopper.replaceCards(by: .succeeds)
      try await subscriber.pass(days: 4)
      let minorUnits = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(minorUnits == [999])
    }
  }
}

extension Subscriber {
  /// Sells the plan at another price, applies it, and tells what became of the subscription.
  func reprice(
    _ plan: String = "basic", to price: Int64, on terms: RenewalPriceTerms = .init()
  ) async throws -> PriceChangeReport.Outcome? {
    let core = shopper.store.core
    try await core.catalogue.replace(try PlanShop.catalogue([plan: price]), of: TestShop.app.id)
    let report = try await core.subscriptions.reprice(plan, of: TestShop.app.id, on: terms)
    #expect(report.counts.count == 1)
    return report.counts.first?.key.outcome
  }

  func answer(accepts: Bool, at price: Int64) async throws -> Bool {
    try await shopper.store.core.subscriptions.answerPrice(
      accepts: accepts, shownPrice: Money(minorUnits: price, currency: .eur), of: key)
  }

  fileprivate func priceChanges() async throws -> [PriceChange] {
    try await shopper.store.core.dependencies.database.read { [key] in
      try PriceChangeRecords.changes(of: key, in: $0)
    }
  }
}
