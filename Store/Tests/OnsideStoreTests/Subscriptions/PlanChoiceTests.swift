import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore

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

  /// A plan that was chosen and refused, on the day after the end of the period.
  private func openRefused(
    _ body: @escaping @Sendable (Shopper, Subscriber, _ refused: Order) async throws -> Void
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

  @Test("SUB-6: a plan that was refused is taken back after the end: the present one is charged, late money goes back")
  func refusedTakenBack() async throws {
    try await openRefused { shopper, subscriber, refused in
      try await shopper.replaceCards(by: .succeeds)
      let current = try #require(try await shopper.store.core.subscriptions.current(of: shopper.accountID).first)
      let page = SubscriptionView(current, texts: Texts(.english)).page(payAddress: nil, receipt: nil)
      #expect(page.planned.map(\.shownPrice) == ["999 EUR"] && page.planned.map(\.value) == ["basic"])
      #expect(page.lead.contains("failed"), "what is wrong stays above the choice")
      let outcome = try await subscriber.choose("basic", at: 499)
      #expect(outcome == .repriced)
      let secondOutcome = try await subscriber.choose("small", at: 499)
      #expect(secondOutcome == .refused)
      let thirdOutcome = try await subscriber.choose("basic", at: 999)
      #expect(thirdOutcome == .kept)
      try await shopper.store.core.deliverOutbox()
      let renewals = try await subscriber.renewals()
      #expect(renewals.map(\.product.message.id) == ["small", "basic"])
      #expect(renewals.map(\.state.stage) == [.cancelled, .paid])
      #expect(renewals.last?.expiresAt == "03-10".midnight)
      let fourthOutcome = try await subscriber.choose("basic", at: 999)
      #expect(fourthOutcome == .kept, "nothing is chosen, and nothing is charged")
      let payment = try #require(try await shopper.store.payments(of: OrderID(refused.id)).first)
      _ = try await shopper.store.event("succeeded", payment: payment, order: OrderID(refused.id), with: shopper.client)
      try await shopper.store.settle()
      try await shopper.store.core.deliverOutbox()
      let minorUnits = try await shopper.store.core.refunds.refunds(of: refused.id).map(\.amount.minorUnits)
      #expect(minorUnits == [499])
      let number = try await subscriber.machine().period?.number
      #expect(number == 2)
      let renewalCount = try await subscriber.renewals().count
      #expect(renewalCount == 2)
    }
  }

  @Test("SUB-6: what is taken back and cannot be charged is paid by hand, for the present plan")
  func refusedByHand() async throws {
    try await openRefused { shopper, subscriber, refused in
      try await shopper.replaceCards(by: nil)
      let outcome = try await subscriber.choose("basic", at: 999)
      #expect(outcome == .kept)
      let open = try #require(try await subscriber.renewals().last)
      #expect(open.state.stage == .open && open.price.minorUnits == 999)
      let state = try await shopper.order(OrderID(refused.id)).state
      #expect(state == .cancelled)
      let secondOutcome = try await shopper.agree(to: try await shopper.order(OrderID(open.id)))
      #expect(secondOutcome == .paid)
      let productID = try await subscriber.machine().period?.plan.productID
      #expect(productID == "basic")
    }
  }

  @Test(
    "SUB-6: nothing is taken back while the chosen plan is being paid, with a card that is saved or not",
    arguments: [false, true])
  func refusedBeingPaid(isSaved: Bool) async throws {
    try await openRefused { shopper, subscriber, refused in
      let token = try #require(try await shopper.order(OrderID(refused.id)).paymentURL?.lastPathComponent)
      let card = PaymentChoice.offered(SandboxCard.settlesLater.rawValue, save: isSaved, keep: true)
      let paid = try await shopper.store.core.payments.pay(token, with: card, shownPrice: refused.price)
      #expect(paid == .pending)
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
