import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StripeDouble
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreStripe

/// Free trials: Stripe charges no 0, so that the card is set up instead.
@Suite("Stripe: free trials", .timeLimit(.minutes(5)))
struct StripeTrialTests {
  /// By what the store learns that a card was set up.
  enum Messenger: CaseIterable, Sendable { case page, webhooks, list }

  private static let card = PaymentChoice.offered("card", save: false, keep: true)

  private static func run(
    _ body: @escaping @Sendable (StripeStore) async throws -> Void
  ) async throws {
    try await StripeStore.run { shop in
      try await shop.store.core.catalogue.replace(try PlanShop.catalogue(), of: TestShop.app.id)
      try await body(shop)
    }
  }

  /// A trial whose card is set up and whose order is paid.
  private static func subscribe(_ shop: StripeStore) async throws -> Subscriber {
    let order = try await shop.order("small")
    let outcome = try await shop.pay(order, with: card)
    #expect(outcome == .secondStep)
    try await shop.setUp()
    let secondOutcome = try await shop.confirm(order)
    #expect(secondOutcome == .paid)
    try await shop.tell()
    return Subscriber(shopper: shop.shopper, purchase: try await shop.shopper.order(order.id))
  }

  /// What is wrong between the books of the store and of Stripe.
  private static func faults(_ shop: StripeStore) async throws -> [String] {
    let differences = try await shop.store.core.paymentReconciler
      .differences(since: shop.clock.now() - 60 * 86_400)
    return try await shop.store.bookFaults().map { "\($0)" } + differences.map(\.description)
  }

  @Test("SUB-14: a trial is paid with 0 when its card is set up; the first charge comes when it ends")
  func trial() async throws {
    try await Self.run { shop in
      let trial = try await Self.subscribe(shop)
      #expect(trial.purchase.price.amount == 0 && trial.purchase.expiresAt == shop.clock.now() + 7 * 86_400)
      #expect(shop.stripe.payments.isEmpty && shop.stripe.setups.map(\.status) == ["succeeded"])
      let ledger = try await shop.store.ledger(trial.purchase.id)
      #expect(ledger.isEmpty)
      let methods = try await shop.methods()
      #expect(methods.isEmpty, "the card is kept for the subscription alone")
      try await trial.pass(days: 8)
      let renewal = try #require(try await trial.renewals().first)
      #expect(renewal.state.stage == .paid && renewal.price.minorUnits == 499)
      #expect(shop.stripe.payments.map(\.amount) == [499] && shop.stripe.payments.map(\.successfulCharges) == [1])
      try await shop.tell()
      shop.store.advance(by: .seconds(3600))
      let faults = try await Self.faults(shop)
      #expect(faults == [])
    }
  }

  @Test(
    "SUB-14: whether page, webhook calls or the daily list tells first, the trial begins once",
    arguments: Messenger.allCases)
  func once(messenger: Messenger) async throws {
    try await Self.run { shop in
      let sweep = ProviderEventSweep(
        events: shop.store.core.providerEvents, providers: shop.store.core.providers,
        dependencies: shop.store.core.dependencies.base)
      try await sweep.sweepIfDue(try shop.provider)
      var policy = DeliveryPolicy()
      (policy.copies, policy.order) = (2, .reversed)
      shop.stripe.setPolicy(policy)
      let order = try await shop.order("small")
      try await shop.pay(order, with: Self.card)
      try await shop.setUp()
      let stage = try await shop.stage(order)
      #expect(stage == .open)
      switch messenger {
      case .page:
        let confirmed = try await shop.confirm(order)
        #expect(confirmed == .paid)
      case .webhooks: try await shop.tell()
      case .list:
        shop.store.advance(by: .seconds(ProviderEventSweep.period))
        let outcome = try await sweep.sweepIfDue(try shop.provider) ?? 0
        #expect(outcome > 0)
        try await shop.store.core.deliverOutbox()
      }
      let paid = try await shop.shopper.order(order.id)
      #expect(paid.state == .paid && paid.expiresAt == shop.clock.now() + 7 * 86_400)
      try await shop.tell()
      let secondOutcome = try await shop.confirm(order)
      #expect(secondOutcome == .paid)
      let expiresAt = try await shop.shopper.order(order.id).expiresAt
      #expect(expiresAt == paid.expiresAt)
      let subscriber = Subscriber(shopper: shop.shopper, purchase: paid)
      let number = try await subscriber.machine().period?.number
      #expect(number == 1)
      let faults = try await Self.faults(shop)
      #expect(faults == [])
    }
  }

  @Test("SUB-14: a card whose bank asks is set up when its owner agrees, and not before")
  func bank() async throws {
    try await Self.run { shop in
      let order = try await shop.order("small")
      try await shop.pay(order, with: Self.card)
      try await shop.setUp("4000002500003155", agrees: false)
      try await shop.tell()
      let outcome = try await shop.confirm(order)
      #expect(outcome == .secondStep)
      let stage = try await shop.stage(order)
      #expect(stage == .open)
      try await shop.setUp("4000002500003155")
      let secondOutcome = try await shop.confirm(order)
      #expect(secondOutcome == .paid)
      let subscriber = Subscriber(shopper: shop.shopper, purchase: order)
      try await subscriber.pass(days: 8)
      #expect(shop.stripe.payments.map(\.status) == ["succeeded"], "its owner agreed to charges without the buyer")
    }
  }

  @Test("SUB-14: a card that cannot be set up leaves the order unpaid, and another one sets out the trial")
  func refused() async throws {
    try await Self.run { shop in
      let order = try await shop.order("small")
      try await shop.pay(order, with: Self.card)
      await #expect(throws: StripeError.self) { try await shop.setUp("4000000000009995") }
      try await shop.tell()
      let outcome = try await shop.confirm(order)
      #expect(outcome == .secondStep)
      let stage = try await shop.stage(order)
      #expect(stage == .open)
      let saved = try await shop.save()
      try shop.stripe.decline(saved.details.reference, with: [Decline("insufficient_funds")])
      let secondOutcome = try await shop.pay(order, with: .saved(saved.id, keep: true))
      #expect(secondOutcome == .declined)
      let secondStage = try await shop.stage(order)
      #expect(secondStage == .open)
      let thirdOutcome = try await shop.pay(order, with: .saved(saved.id, keep: true))
      #expect(thirdOutcome == .paid)
      try await shop.tell()
      let trials = shop.stripe.setups.filter { $0.metadata["order"] == order.id.uuid.lowercase }
      #expect(trials.map(\.status) == ["canceled", "canceled", "succeeded"])
      let faults = try await Self.faults(shop)
      #expect(faults == [])
    }
  }

  @Test("SUB-14: a trial that is given up is cancelled at Stripe; a card that was set up too late begins nothing")
  func givenUp() async throws {
    try await Self.run { shop in
      let (early, late) = (try await shop.order("small"), try await shop.order("small"))
      try await shop.pay(early, with: Self.card)
      try await shop.store.core.payments.cancel(try #require(early.paymentURL?.lastPathComponent))
      try await shop.store.core.deliverOutbox()
      #expect(shop.stripe.setups.map(\.status) == ["canceled"])
      await #expect(throws: StripeError.self) { try await shop.setUp() }
      try await shop.pay(late, with: Self.card)
      try await shop.setUp()
      try await shop.store.core.payments.cancel(try #require(late.paymentURL?.lastPathComponent))
      try await shop.tell()
      let order = try await shop.store.core.orders.order(
        late.id.uuid, of: Customer(account: shop.shopper.accountID, app: TestShop.app.id))
      #expect(order.state.stage == .cancelled && !order.state.owesRefund && order.state.revocation == nil)
      let refunds = try await shop.store.core.refunds.refunds(of: late.id.uuid)
      #expect(refunds.isEmpty)
      await shop.stripe.deliver { await shop.take($0) }
      try await shop.store.core.deliverOutbox()
      let core = shop.store.core
      for _ in 0..<2 {
        try await MethodSweep(core.dependencies.base, providers: core.providers).run()
        shop.store.advance(by: .seconds(MethodSweep.period))
      }
      try await core.deliverOutbox()
      #expect(shop.stripe.savedMethods.isEmpty, "the card was for a subscription that has not begun")
      let faults = try await Self.faults(shop)
      #expect(faults == [])
    }
  }

  @Test("SUB-14: a refund of a trial takes it away and asks Stripe nothing; no list misses it")
  func refund() async throws {
    try await Self.run { shop in
      let trial = try await Self.subscribe(shop)
      try await shop.store.core.orders.refund(trial.purchase.id.uuid, because: .refund)
      try await shop.tell()
      let revokedAt = try await shop.shopper.order(trial.purchase.id).revokedAt
      #expect(revokedAt != nil)
      #expect(!shop.stripe.requests.contains { $0.method == "POST" && $0.path == "refunds" })
      shop.store.advance(by: .seconds(3600))
      let faults = try await Self.faults(shop)
      #expect(faults == [])
      try await trial.pass(days: 10)
      #expect(shop.stripe.payments.isEmpty)
    }
  }

  @Test("SUB-14: an upgrade out of a trial gives nothing back")
  func upgrade() async throws {
    try await Self.run { shop in
      let trial = try await Self.subscribe(shop)
      let basic = try await shop.order("basic")
      try await shop.pay(basic, with: Self.card)
      try await shop.enter()
      let outcome = try await shop.confirm(basic)
      #expect(outcome == .paid)
      try await shop.tell()
      let actualRefunds = try await shop.store.core.refunds.refunds(of: trial.purchase.id.uuid)
      #expect(actualRefunds.isEmpty)
      #expect(!shop.stripe.requests.contains { $0.method == "POST" && $0.path == "refunds" })
      shop.store.advance(by: .seconds(3600))
      let faults = try await Self.faults(shop)
      #expect(faults == [])
    }
  }

  @Test("SUB-14: a trial of which the page says that it ends by itself needs no card")
  func endsByItself() async throws {
    try await Self.run { shop in
      let order = try await shop.order("small")
      let outcome = try await shop.pay(order, with: .offered("card", save: false))
      #expect(outcome == .paid)
      #expect(shop.stripe.requests.isEmpty)
    }
  }

  @Test(
    "SUB-14: a setup whose answer was lost, or that Stripe failed with, is made once",
    arguments: [StripeFault.cutBefore, .answerLost, .serverError(afterEffect: true), .serverError(afterEffect: false)])
  func lostAnswers(fault: StripeFault) async throws {
    try await Self.run { shop in
      let order = try await shop.order("small")
      shop.stripe.next(fault, on: "POST setup_intents")
      try await shop.pay(order, with: Self.card)
      for _ in 0..<3 { try await shop.later(60) }
      #expect(shop.stripe.setups.count == 1)
      try await shop.setUp()
      let outcome = try await shop.confirm(order)
      #expect(outcome == .paid)
    }
  }

  @Test("SUB-14: a saved card is looked at by its bank and begins the trial, also when Stripe tells before it answers")
  func saved() async throws {
    try await Self.run { shop in
      let saved = try await shop.save()
      shop.stripe.sendFirst { await shop.take($0) }
      shop.stripe.next(.webhooksFirst, on: "POST setup_intents")
      let order = try await shop.order("small")
      let outcome = try await shop.pay(order, with: .saved(saved.id, keep: true))
      #expect(outcome == .paid)
      try await shop.tell()
      let subscriber = Subscriber(shopper: shop.shopper, purchase: order)
      let number = try await subscriber.machine().period?.number
      #expect(number == 1)
      try await subscriber.pass(days: 8)
      #expect(shop.stripe.payments.map(\.method) == [saved.details.reference])
    }
  }
}
