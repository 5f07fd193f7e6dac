import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
import StripeDouble
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

@Suite("Stripe: disputes and early fraud warnings", .timeLimit(.minutes(5)))
struct StripeDisputeTests {
  @Test("PAY-5: a dispute takes the money and its fee at once; when it is lost, the purchase is taken away")
  func lost() async throws {
    try await StripeStore.run { shop in
      let order = try await Self.paid(shop)
      let dispute = try shop.stripe.dispute(try #require(shop.stripe.payments.first?.id))
      try await shop.tell()
      let states = try await shop.disputes(order).map(\.state)
      #expect(states == [.open])
      let revokedAt = try await shop.shopper.order(order.id).revokedAt
      #expect(revokedAt == nil)
      #expect(try await shop.isWhatStripeHas())
      try shop.stripe.close(dispute, as: "lost")
      try await shop.tell()
      let closed = try #require(try await shop.disputes(order).first)
      #expect(closed.state == .lost && closed.isWithdrawn && closed.id == "stripe:\(dispute)")
      let state = try await shop.state(order)
      #expect(state.revocation?.reason == .chargeback)
      #expect(try await shop.isWhatStripeHas())
      let balances = try await shop.store.balances()
      #expect(balances["app:\(TestShop.app.id)", default: 0] == 0 && balances[Ledger.commission, default: 0] == 0)
      #expect(balances[Ledger.providerFees, default: 0] > 2000)
    }
  }

  @Test("PAY-5: a dispute that is won brings the money and its fee back, in any order of the events and told twice")
  func won() async throws {
    try await StripeStore.run { shop in
      let order = try await Self.paid(shop)
      let before = try await shop.store.balances()
      let dispute = try shop.stripe.dispute(try #require(shop.stripe.payments.first?.id))
      var policy = DeliveryPolicy()
      (policy.order, policy.copies) = (.reversed, 2)
      shop.stripe.setPolicy(policy)
      try shop.stripe.close(dispute, as: "won")
      try await shop.tell()
      let closed = try #require(try await shop.disputes(order).first)
      #expect(closed.state == .won && !closed.isWithdrawn)
      let revokedAt = try await shop.shopper.order(order.id).revokedAt
      #expect(revokedAt == nil)
      let balances = try await shop.store.balances()
      #expect(balances == before)
      #expect(try await shop.isWhatStripeHas())
    }
  }

  @Test("SUB-20: by the app's rule a dispute revokes the purchase with its money; when it is won, the store grants it")
  func reinstated() async throws {
    try await StripeStore.run { shop in
      var app = TestShop.app
      app.rules.dispute = .withdrawn
      try await shop.store.core.apps.register(app)
      let order = try await Self.paid(shop)
      try await shop.store.ask(for: order, of: shop.shopper.accountID)
      let dispute = try shop.stripe.dispute(try #require(shop.stripe.payments.first?.id))
      try await shop.tell()
      let reason = try await shop.state(order).revocation?.reason
      #expect(reason == .chargeback)
      let state = try await shop.store.refundRequest(order)?.state
      #expect(state == .granted)
      try shop.stripe.close(dispute, as: "won")
      try await shop.tell()
      // The buyer has the purchase, and the money did not go back.
      let secondState = try await shop.store.refundRequest(order)?.state
      #expect(secondState == .waiting)
      let history = try await shop.shopper.verify(try await shop.shopper.history()).transactions
      #expect(history.first { $0.orderID == order.id.uuid }?.revocation?.reason == .chargeback)
      let granted = try #require(history.first { $0.reinstates == order.id.uuid })
      #expect(granted.transactionReason == .grant && granted.revocation == nil && granted.price.isZero)
      #expect(try await shop.isWhatStripeHas())
    }
  }

  @Test("a bank's question that is closed moves no money; one that becomes a dispute does")
  func inquiry() async throws {
    try await StripeStore.run { shop in
      let (first, second) = (try await Self.paid(shop), try await Self.paid(shop))
      let before = try await shop.store.balances()
      let payments = shop.stripe.payments.map(\.id)
      let questions = try payments.map { try shop.stripe.dispute($0, isInquiry: true) }
      try await shop.tell()
      let withdrawn = try await shop.disputes(first).map(\.isWithdrawn)
      #expect(withdrawn == [false])
      let balances = try await shop.store.balances()
      #expect(balances == before)
      try shop.stripe.close(questions[0], as: "warning_closed")
      try shop.stripe.escalate(questions[1])
      try await shop.tell()
      let states = try await shop.disputes(first).map(\.state)
      #expect(states == [.won])
      let secondWithdrawn = try await shop.disputes(second).map(\.isWithdrawn)
      #expect(secondWithdrawn == [true])
      #expect(try await shop.isWhatStripeHas())
    }
  }

  @Test("PAY-5: while the bank has the money, a refund is refused with the dispute's name")
  func noRefund() async throws {
    try await StripeStore.run { shop in
      let order = try await Self.paid(shop)
      let dispute = try shop.stripe.dispute(try #require(shop.stripe.payments.first?.id))
      try await shop.tell()
      await #expect(throws: RefundError.disputed("stripe:\(dispute)")) {
        try await shop.store.core.refunds.refund(order.id.uuid, because: .refund)
      }
      try shop.stripe.close(dispute, as: "won")
      try await shop.tell()
      try await shop.store.core.refunds.refund(order.id.uuid, because: .refund)
      try await shop.later(1)
      #expect(shop.stripe.payments.map(\.refunded) == [99])
      #expect(try await shop.isWhatStripeHas())
    }
  }

  @Test("a part that was refunded before is not taken by the dispute; tax and share go back once")
  func afterPart() async throws {
    try await StripeStore.run { shop in
      try await shop.store.core.tax.add([
        try TaxRate(country: .netherlands, basisPoints: 2100, firstDay: "2012-10-01", source: "test")
      ])
      let order = try await Self.paid(shop)
      try await shop.store.core.refunds.refund(order.id.uuid, amount: try TestShop.money(40), because: .refund)
      try await shop.later(1)
      let dispute = try shop.stripe.dispute(try #require(shop.stripe.payments.first?.id))
      try shop.stripe.close(dispute, as: "lost")
      try await shop.tell()
      let minorUnits = try await shop.disputes(order).map(\.amount.minorUnits)
      #expect(minorUnits == [59])
      let balances = try await shop.store.balances()
      #expect(balances["tax:NL", default: 0] == 0 && balances[Ledger.commission, default: 0] == 0)
      let revocation = try await shop.state(order).revocation
      #expect(revocation != nil)
      #expect(try await shop.isWhatStripeHas())
    }
  }

  @Test("a refund that fails because the bank has taken the money leaves tax and share with the buyer")
  func refundFailsAfterDispute() async throws {
    try await StripeStore.run { shop in
      try await shop.store.core.tax.add([
        try TaxRate(country: .netherlands, basisPoints: 2100, firstDay: "2012-10-01", source: "test")
      ])
      let order = try await Self.paid(shop, card: "4000000000007726")
      try await shop.store.core.refunds.refund(order.id.uuid, because: .refund)
      try await shop.later(1)
      let refund = try #require(shop.stripe.refundIDs.first)
      try shop.stripe.failRefund(refund, reason: "charge_for_pending_refund_disputed")
      let dispute = try shop.stripe.dispute(try #require(shop.stripe.payments.first?.id))
      try await shop.tell()
      try shop.stripe.close(dispute, as: "lost")
      try await shop.tell()
      let balances = try await shop.store.balances()
      #expect(balances["tax:NL", default: 0] == 0 && balances[Ledger.commission, default: 0] == 0)
      #expect(try await shop.isWhatStripeHas())
    }
  }

  @Test("a dispute that is told before its payment's success is booked after it")
  func earlyDispute() async throws {
    try await StripeStore.run { shop in
      let order = try await shop.order()
      var policy = DeliveryPolicy()
      policy.order = .reversed
      shop.stripe.setPolicy(policy)
      try await shop.pay(order, with: .offered("card", save: false))
      try await shop.enter()
      try shop.stripe.dispute(try #require(shop.stripe.payments.first?.id))
      try await shop.tell()
      for _ in 0..<3 { try await shop.later(60) }
      let stage = try await shop.stage(order)
      #expect(stage == .paid)
      let withdrawn = try await shop.disputes(order).map(\.isWithdrawn)
      #expect(withdrawn == [true])
      #expect(try await shop.isWhatStripeHas())
    }
  }

  @Test(
    "SUB-20: a refund that a dispute made fail grants the purchase once, also when the dispute is won",
    arguments: ["coins", "remove_ads"])
  func refusedRefund(product: String) async throws {
    try await StripeStore.run { shop in
      let order = try await Self.paid(shop, product: product)
      let dispute = try shop.stripe.dispute(try #require(shop.stripe.payments.first?.id))
      try await shop.store.core.refunds.refund(order.id.uuid, because: .refund)
      try await shop.later(1)
      let failures = try await shop.store.core.refunds.refunds(of: order.id.uuid).map(\.failure)
      #expect(failures == ["charge_disputed"])
      try await shop.tell()
      let early = try await shop.shopper.grants(of: order.id).count
      try shop.stripe.close(dispute, as: "won")
      try await shop.tell()
      let grants = try await shop.shopper.grants(of: order.id)
      #expect(grants.map(\.state.isEntitled) == [true] && early == 1)
      let reason = try await shop.state(order).revocation?.reason
      #expect(reason == .refund)
      #expect(try await shop.isWhatStripeHas())
    }
  }

  @Test("a purchase that was refunded besides stays taken away when the dispute is won")
  func refundedBesides() async throws {
    try await StripeStore.run { shop in
      let order = try await Self.paid(shop)
      let dispute = try shop.stripe.dispute(try #require(shop.stripe.payments.first?.id), isInquiry: true)
      try await shop.tell()
      try await shop.store.core.refunds.refund(order.id.uuid, because: .chargeback)
      try await shop.later(1)
      try shop.stripe.close(dispute, as: "warning_closed")
      try await shop.tell()
      let reason = try await shop.state(order).revocation?.reason
      #expect(reason == .chargeback)
      #expect(try await shop.isWhatStripeHas())
    }
  }

  @Test("a fraud warning is written down; by the app's rule the money goes back before the bank takes it")
  func warning() async throws {
    try await StripeStore.run { shop in
      let kept = try await Self.paid(shop)
      try shop.stripe.warnOfFraud(try #require(shop.stripe.payments.last?.id))
      try await shop.tell()
      let states = try await shop.disputes(kept).map(\.state)
      #expect(states == [.warning])
      let revocation = try await shop.state(kept).revocation
      #expect(revocation == nil)
      var app = TestShop.app
      app.rules.fraud = .refund
      try await shop.store.core.apps.register(app)
      let order = try await Self.paid(shop)
      let payment = try #require(shop.stripe.payments.last?.id)
      for _ in 0..<2 {
        try shop.stripe.warnOfFraud(payment)
        try await shop.tell()
        try await shop.later(1)
      }
      #expect(shop.stripe.payments.map(\.refunded) == [0, 99])
      let secondRevocation = try await shop.state(order).revocation
      #expect(secondRevocation != nil)
      #expect(try await shop.isWhatStripeHas())
    }
  }

  @Test("the evidence of a dispute is one page that names the order, the card's country and what happened")
  func evidence() async throws {
    try await StripeStore.run { shop in
      let order = try await Self.paid(shop)
      let outcome = try await shop.shopper.finish(order.id)
      #expect(outcome == .noContent)
      let id = "stripe:\(try shop.stripe.dispute(try #require(shop.stripe.payments.first?.id)))"
      try await shop.tell()
      let page = try await shop.store.core.dependencies.database.read {
        try DisputeEvidence(of: id, in: $0)?.html(seller: "A & B")
      }
      let html = try #require(page)
      for part in [order.id.uuid.uuidString.lowercased(), "A &amp; B", "Country of the card", "finished", id] {
        #expect(html.contains(part), "\(part)")
      }
    }
  }

  private static func paid(
    _ shop: StripeStore, card: String = "4242424242424242", product: String = "coins"
  ) async throws -> OrderMessage {
    let order = try await shop.order(product)
    try await shop.pay(order, with: .offered("card", save: false))
    try await shop.enter(card)
    try await shop.confirm(order)
    try await shop.tell()
    let stage = try await shop.stage(order)
    #expect(stage == .paid)
    return order
  }
}

extension StripeStore {
  fileprivate func disputes(_ order: OrderMessage) async throws -> [Dispute] {
    try await store.core.dependencies.database.read { try DisputeRecords.disputes(of: order.id.uuid, in: $0) }
  }

  fileprivate func state(_ order: OrderMessage) async throws -> OrderState {
    let records = store.core.orders.records
    let known = try await store.core.dependencies.database.read { try records.order(order.id.uuid, in: $0) }
    return try #require(known).state
  }

  /// Whether the books agree, and say that Stripe holds what it holds.
  fileprivate func isWhatStripeHas() async throws -> Bool {
    let bookFaults = try await store.bookFaults()
    #expect(bookFaults == [])
    let (booked, held) = (try await store.balances()["provider:stripe", default: 0], stripe.balance["eur", default: 0])
    #expect(booked == held)
    return booked == held
  }
}
