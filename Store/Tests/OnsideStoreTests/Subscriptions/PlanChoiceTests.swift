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
      #expect(try await subscriber.choose("small", at: 399) == .repriced)
      #expect(try await subscriber.choose("small", at: 499) == .planned)
      try await core.catalogue.replace(try PlanShop.catalogue(["small": 899]), of: TestShop.app.id)
      #expect(try await subscriber.machine().period?.plan.productID == "basic")
      try await subscriber.pass(days: 32)
      let renewal = try #require(try await subscriber.renewals().first)
      #expect(renewal.product.message.id == "small" && renewal.price.minorUnits == 499)
      #expect(renewal.expiresAt == "03-10".midnight && renewal.originalOrderID == subscriber.purchase.id.uuid)
      try await subscriber.pass(days: 31)
      #expect(try await subscriber.renewals().map(\.price.minorUnits) == [499, 499])
      let history = try TransactionHistory.decoded(fromPayloadOf: await shopper.history()).transactions
      #expect(history.map(\.transactionReason) == [.purchase, .renewal, .renewal], "the renewal has brought the plan")
      #expect(try await subscriber.faults() == [])
    }
  }

  @Test("SUB-6: the present plan takes the choice back; a choice switches the renewal on again")
  func takenBack() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      #expect(try await subscriber.setAutoRenew(false))
      #expect(try await subscriber.choose("yearly", at: 5999) == .planned)
      #expect(try await subscriber.machine().autoRenews)
      #expect(try await subscriber.choose("basic", at: 0) == .kept)
      #expect(try await !subscriber.machine().autoRenews, "it was switched off before the choice")
      #expect(try await subscriber.choose("pro", at: 1999) == .bought)
      #expect(try await subscriber.choose("nothing", at: 1) == .repriced)
      try await subscriber.pass(days: 32)
      #expect(try await subscriber.renewals().isEmpty)
    }
  }

  @Test("SUB-6: nothing is chosen while the next period is with the provider")
  func whileRenewed() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await shopper.replaceCards(by: .settlesLater)
      try await subscriber.pass(to: try #require(subscriber.purchase.expiresAt) - 3600)
      #expect(try await subscriber.choose("small", at: 499) == .refused)
      try await shopper.store.settle()
      #expect(try await subscriber.choose("small", at: 499) == .planned)
      try await subscriber.pass(days: 32)
      #expect(try await subscriber.renewals().map(\.product.message.id) == ["basic", "small"])
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
      #expect(try await subscriber.choose("small", at: 499) == .planned)
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
      #expect(try await subscriber.machine().period?.number == 2)
      #expect(try await subscriber.faults() == [])
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
      #expect(try await subscriber.faults() == [])
    }
  }

  /// A plan that was chosen and refused, on the day after the end of the period.
  private func openRefused(
    _ body: @escaping @Sendable (Shopper, Subscriber, _ refused: Order) async throws -> Void
  ) async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      #expect(try await subscriber.choose("small", at: 499) == .planned)
      try await shopper.replaceCards(by: .declined)
      try await subscriber.pass(to: try #require("02-11".midnight))
      #expect(try await subscriber.machine().stage == .grace)
      try await body(shopper, subscriber, try #require(try await subscriber.renewals().first))
      #expect(try await subscriber.faults() == [])
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
      #expect(try await subscriber.choose("basic", at: 499) == .repriced)
      #expect(try await subscriber.choose("small", at: 499) == .refused)
      #expect(try await subscriber.choose("basic", at: 999) == .kept)
      try await shopper.store.core.deliverOutbox()
      let renewals = try await subscriber.renewals()
      #expect(renewals.map(\.product.message.id) == ["small", "basic"])
      #expect(renewals.map(\.state.stage) == [.cancelled, .paid])
      #expect(renewals.last?.expiresAt == "03-10".midnight)
      #expect(try await subscriber.choose("basic", at: 999) == .kept, "nothing is chosen, and nothing is charged")
      let payment = try #require(try await shopper.store.payments(of: OrderID(refused.id)).first)
      _ = try await shopper.store.event("succeeded", payment: payment, order: OrderID(refused.id), with: shopper.client)
      try await shopper.store.settle()
      try await shopper.store.core.deliverOutbox()
      #expect(try await shopper.store.core.refunds.refunds(of: refused.id).map(\.amount.minorUnits) == [499])
      #expect(try await subscriber.machine().period?.number == 2)
      #expect(try await subscriber.renewals().count == 2)
    }
  }

  @Test("SUB-6: what is taken back and cannot be charged is paid by hand, for the present plan")
  func refusedByHand() async throws {
    try await openRefused { shopper, subscriber, refused in
      try await shopper.replaceCards(by: nil)
      #expect(try await subscriber.choose("basic", at: 999) == .kept)
      let open = try #require(try await subscriber.renewals().last)
      #expect(open.state.stage == .open && open.price.minorUnits == 999)
      #expect(try await shopper.order(OrderID(refused.id)).state == .cancelled)
      #expect(try await shopper.agree(to: try await shopper.order(OrderID(open.id))) == .paid)
      #expect(try await subscriber.machine().period?.plan.productID == "basic")
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
      #expect(try await subscriber.choose("basic", at: 999) == .refused)
      try await shopper.store.settle()
      #expect(try await subscriber.machine().period?.plan.productID == "small")
      #expect(try await subscriber.renewals().count == 1)
    }
  }

  @Test("SUB-6: a plan that is chosen after a move has the price and the region of the new one")
  func moved() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await shopper.store.move(shopper.accountID, to: "DE")
      #expect(try await subscriber.choose("small", at: 499) == .repriced)
      #expect(try await subscriber.choose("small", at: 549) == .planned)
      try await subscriber.pass(days: 32)
      let renewal = try #require(try await subscriber.renewals().first)
      #expect(renewal.country.alpha2 == "DE" && renewal.price.minorUnits == 549)
    }
  }
}
