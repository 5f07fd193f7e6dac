import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreWeb

/// Plans that start with the next renewal.
@Suite("Plans for the next renewal", .timeLimit(.minutes(5)))
struct PlanChoiceTests {
  @Test("SUB-6: a lower plan starts with the next renewal, at the price that was seen when it was chosen")
  func lower() async throws {
    try await PlanShop.open { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "basic"), shopper.store.core)
      try await subscriber.pass(days: 10)
      let outcome = try await subscriber.choose("small", at: 399)
      #expect(outcome == .repriced)
      let secondOutcome = try await subscriber.choose("small", at: 499)
      #expect(secondOutcome == .planned)
      try await core.catalogue.replace(try PlanShop.catalogue(["small": 899]), of: TestShop.app.id)
      let productID = try await subscriber.machine().period?.plan.productID
      #expect(productID == "basic")
      try await subscriber.pass(days: 32)
      let renewal = try #require(try await subscriber.renewals().first)
      #expect(renewal.product.message.id == "small" && renewal.price.minorUnits == 499)
      #expect(renewal.expiresAt == "03-10".midnight && renewal.originalOrderID == subscriber.purchase.id.uuid)
      try await subscriber.pass(days: 31)
      let minorUnits = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(minorUnits == [499, 499])
      let history = try TransactionHistory.decoded(fromPayloadOf: await shopper.history()).transactions
      #expect(history.map(\.transactionReason) == [.purchase, .renewal, .renewal], "the renewal has brought the plan")
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-6: the present plan takes the choice back; a choice switches the renewal on again")
  func takenBack() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      #expect(try await subscriber.setAutoRenew(false))
      let outcome = try await subscriber.choose("yearly", at: 5999)
      #expect(outcome == .planned)
      #expect(try await subscriber.machine().autoRenews)
      let secondOutcome = try await subscriber.choose("basic", at: 0)
      #expect(secondOutcome == .kept)
      #expect(try await !subscriber.machine().autoRenews, "it was switched off before the choice")
      let thirdOutcome = try await subscriber.choose("pro", at: 1999)
      #expect(thirdOutcome == .bought)
      let fourthOutcome = try await subscriber.choose("nothing", at: 1)
      #expect(fourthOutcome == .repriced)
      try await subscriber.pass(days: 32)
      let renewals = try await subscriber.renewals()
      #expect(renewals.isEmpty)
    }
  }

  @Test("SUB-6: nothing is chosen while the next period is with the provider")
  func whileRenewed() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await shopper.replaceCards(by: .settlesLater)
      try await subscriber.pass(to: try #require(subscriber.purchase.expiresAt) - 3600)
      let outcome = try await subscriber.choose("small", at: 499)
      #expect(outcome == .refused)
      try await shopper.store.settle()
      let secondOutcome = try await subscriber.choose("small", at: 499)
      #expect(secondOutcome == .planned)
      try await subscriber.pass(days: 32)
      let ids = try await subscriber.renewals().map(\.product.message.id)
      #expect(ids == ["basic", "small"])
    }
  }

  @Test(
    "SUB-6: after a refusal in the last hour the next try is for the plan that was chosen since, with its own order")
  func afterRefusal() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await shopper.replaceCards(by: .declined)
      try await subscriber.pass(to: try #require(subscriber.purchase.expiresAt) - 3600)
      let first = try #require(try await subscriber.renewals().first)
      let outcome = try await subscriber.choose("small", at: 499)
      #expect(outcome == .planned)
      try await shopper.replaceCards(by: .succeeds)
      try await subscriber.pass(days: 4)
      let renewals = try await subscriber.renewals()
      #expect(renewals.map(\.product.message.id) == ["basic", "small"])
      #expect(renewals.map(\.state.stage) == [.cancelled, .paid])
      #expect(renewals.last?.expiresAt == "03-10".midnight)
      let payment = try #require(try await shopper.store.payments(of: OrderID(first.id)).first)
      _ = try await shopper.store.event(
        "succeeded", payment: payment, order: OrderID(first.id), with: shopper.client)
      try await shopper.store.settle()
      let number = try await subscriber.machine().period?.number
      #expect(number == 2)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-1: after a move the plan renews at the price and in the region in which it was bought")
  func movedAndKept() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await shopper.store.move(shopper.accountID, to: "DE")
      try await subscriber.pass(days: 63)
      let renewals = try await subscriber.renewals()
      #expect(renewals.map(\.price.minorUnits) == [999, 999] && renewals.allSatisfy { $0.country == .netherlands })
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  /// A chosen plan whose payment was declined, on the day after the end of the period.
  private func openDeclined(
    _ body: @escaping @Sendable (Shopper, Subscriber, _ declined: Order) async throws -> Void
  ) async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      let outcome = try await subscriber.choose("small", at: 499)
      #expect(outcome == .planned)
      try await shopper.replaceCards(by: .declined)
      try await subscriber.pass(to: try #require("02-11".midnight))
      let stage = try await subscriber.machine().stage
      #expect(stage == .grace)
      try await body(shopper, subscriber, try #require(try await subscriber.renewals().first))
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  /// The page of the only subscription.
  private func page(_ shopper: Shopper, _ subscriber: Subscriber) async throws -> SubscriptionPage {
    let (subscriptions, account) = (shopper.store.core.subscriptions, try await subscriber.account)
    let current = try #require(try await subscriptions.current(of: shopper.accountID).first)
    let view = SubscriptionView(current, texts: Texts(.english))
    var page = view.page(payAddress: current.unpaidOrder?.lowercase, receipt: nil)
    page.plans = try await subscriptions.plans(beside: current, for: account, language: "en").compactMap {
      view.plan($0, in: account.country, order: UUID())
    }
    return page
  }

  @Test("SUB-6: the page of a chosen plan whose payment was declined names it and sells all others, at today's prices")
  func declinedPage() async throws {
    try await openDeclined { shopper, subscriber, declined in
      let core = shopper.store.core
      try await core.catalogue.replace(try PlanShop.catalogue(["basic": 1299]), of: TestShop.app.id)
      let page = try await page(shopper, subscriber)
      #expect(page.payAddress == declined.id.lowercase && page.planned.isEmpty)
      #expect(page.priceNote?.contains("The payment is for") == true && page.priceNote?.contains("4,99") == true)
      #expect(page.plans.map(\.id) == ["basic", "other", "yearly", "pro", "max"])
      #expect(page.plans.map(\.shownPrice) == ["1299 EUR", "1099 EUR", "5999 EUR", "1999 EUR", "2999 EUR"])
      #expect(Set(page.plans.map(\.note)) == ["Starts at once."])
      #expect(Set(page.plans.map(\.submitLabel)) == ["Change now"])
      let outcome = try await subscriber.choose("basic", at: 999)
      #expect(outcome == .repriced)
      let secondOutcome = try await subscriber.choose("basic", at: 1299)
      #expect(secondOutcome == .bought)
      let order = try await shopper.order("basic")
      #expect(order.price.money.minorUnits == 1299, "the price beside the button is charged")
    }
  }

  @Test(
    "SUB-6: after a chosen plan was declined, the plan before is bought again and keeps the date; late money goes back")
  func boughtAgain() async throws {
    try await openDeclined { shopper, subscriber, declined in
      let order = try await shopper.take("basic")
      #expect(order.state == .paid && order.reason == .purchase && order.expiresAt == "03-10".midnight)
      #expect(order.originalOrderID == subscriber.purchase.id)
      let machine = try await subscriber.machine()
      #expect(machine.period?.plan.productID == "basic" && machine.nextPlan == nil && machine.autoRenews)
      let state = try await shopper.order(OrderID(declined.id)).state
      #expect(state == .cancelled)
      let payment = try #require(try await shopper.store.payments(of: OrderID(declined.id)).first)
      _ = try await shopper.store.event(
        "succeeded", payment: payment, order: OrderID(declined.id), with: shopper.client)
      try await shopper.store.settle()
      try await shopper.store.core.deliverOutbox()
      let minorUnits = try await shopper.store.core.refunds.refunds(of: declined.id).map(\.amount.minorUnits)
      #expect(minorUnits == [499])
      let number = try await subscriber.machine().period?.number
      #expect(number == 2)
    }
  }

  @Test("SUB-6: after the grace period the plan before is bought again, too, and begins at its payment")
  func boughtAfterGrace() async throws {
    try await openDeclined { shopper, subscriber, declined in
      try await subscriber.pass(to: try #require("03-01".midnight))
      let page = try await page(shopper, subscriber)
      #expect(page.plans.map(\.id) == ["basic", "other", "yearly", "pro", "max"])
      let outcome = try await subscriber.choose("basic", at: 999)
      #expect(outcome == .bought)
      let order = try await shopper.take("basic")
      #expect(order.expiresAt == "04-01".midnight && order.originalOrderID == order.id)
    }
  }

  @Test("SUB-2: the page of an unpaid subscription sells the other plans of its group, also without a saved card")
  func unpaidPage() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await shopper.replaceCards(by: nil)
      try await subscriber.pass(days: 32)
      let machine = try await subscriber.machine()
      #expect(machine.stage == .retry)
      let page = try await page(shopper, subscriber)
      #expect(page.payAddress != nil && page.priceNote == nil)
      #expect(page.plans.map(\.id) == ["small", "other", "yearly", "pro", "max"])
      let outcome = try await subscriber.choose("small", at: 499)
      #expect(outcome == .bought)
    }
  }

  @Test(
    "SUB-6: while the declined plan is being paid, the page sells no plan and takes no choice",
    arguments: [false, true])
  func declinedBeingPaid(isSaved: Bool) async throws {
    try await openDeclined { shopper, subscriber, declined in
      let token = try #require(try await shopper.order(OrderID(declined.id)).paymentURL?.lastPathComponent)
      let card = PaymentChoice.offered(SandboxCard.settlesLater.rawValue, save: isSaved, keep: true)
      let paid = try await shopper.store.core.payments.pay(token, with: card, shownPrice: declined.price)
      #expect(paid == .pending)
      let page = try await page(shopper, subscriber)
      #expect(page.plans.isEmpty)
      let outcome = try await subscriber.choose("basic", at: 999)
      #expect(outcome == .refused)
      try await shopper.store.settle()
      let productID = try await subscriber.machine().period?.plan.productID
      #expect(productID == "small")
      let renewalCount = try await subscriber.renewals().count
      #expect(renewalCount == 1)
    }
  }

  @Test("SUB-6: a plan that is chosen after a move has the price and the region of the new one")
  func moved() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await shopper.store.move(shopper.accountID, to: "DE")
      let outcome = try await subscriber.choose("small", at: 499)
      #expect(outcome == .repriced)
      let secondOutcome = try await subscriber.choose("small", at: 549)
      #expect(secondOutcome == .planned)
      try await subscriber.pass(days: 32)
      let renewal = try #require(try await subscriber.renewals().first)
      #expect(renewal.country.alpha2 == "DE" && renewal.price.minorUnits == 549)
    }
  }
}
