import Foundation
import StoreBaseTestSupport
import StripeDouble
import Testing

@testable import StoreStripe

@Suite("Stripe's double: refunds, disputes, books", .timeLimit(.minutes(5)))
struct StripeDoubleMoneyBackTests {
  private static func paid(
    _ number: String = "4242424242424242", amount: Int64 = 1000,
    _ body: @escaping @Sendable (StripeWorld, StripePaymentIntent) async throws -> Void
  ) async throws {
    try await StripeWorld.run { world in
      let customer = try await world.customer()
      let method = try await world.save(number, for: customer)
      try await body(world, try await world.charge(customer, method: method, amount: amount))
    }
  }

  private static func refund(
    _ world: StripeWorld, of payment: String, amount: Int64?, id: String
  ) async throws -> StripeRefund {
    try await world.client.createRefund(
      of: payment, amount: try amount.map { try StripeWorld.amount($0) },
      metadata: ["refund": id], key: StripeIdempotencyKey("refund", subject: id))
  }

  @Test("refunds in parts up to the whole, and no cent more")
  func parts() async throws {
    try await Self.paid { world, payment in
      let status = try await Self.refund(world, of: payment.id, amount: 300, id: "1").status
      #expect(status == .succeeded)
      let much = try await world.failure { try await Self.refund(world, of: payment.id, amount: 701, id: "2") }
      #expect(much.kind == .invalidRequest && much.details.param == "amount")
      let actualAmount = try await Self.refund(world, of: payment.id, amount: nil, id: "3").amount
      #expect(actualAmount == 700)
      let third = try await world.failure { try await Self.refund(world, of: payment.id, amount: 1, id: "4") }
      #expect(third.details.code == "charge_already_refunded")
      #expect(world.stripe.payments.map(\.refunded) == [1000])
      let amounts = try await world.client.refunds(of: payment.id).map(\.amount)
      #expect(amounts == [700, 300])
    }
  }

  @Test("a refund that succeeded fails later, and the money may be given back again")
  func failingRefund() async throws {
    try await Self.paid { world, payment in
      let refund = try await Self.refund(world, of: payment.id, amount: nil, id: "1")
      let before = world.stripe.balance
      try world.stripe.failRefund(refund.id)
      let failed = try await world.client.refund(refund.id)
      #expect(failed.status == .failed && failed.failureReason == "lost_or_stolen_card")
      #expect(world.stripe.balance["eur"] == (before["eur"] ?? 0) + 1000)
      #expect(world.stripe.eventTypes.suffix(3) == ["refund.updated", "charge.refund.updated", "refund.failed"])
      let amount = try await Self.refund(world, of: payment.id, amount: nil, id: "2").amount
      #expect(amount == 1000)
    }
  }

  @Test("A card whose refunds take their time")
  func pendingRefund() async throws {
    try await Self.paid("4000000000007726") { world, payment in
      let refund = try await Self.refund(world, of: payment.id, amount: 100, id: "1")
      #expect(refund.status == .pending)
      try world.stripe.settleRefund(refund.id)
      let status = try await world.client.refund(refund.id).status
      #expect(status == .succeeded)
    }
  }

  @Test("a dispute takes money and fee, and gives both back only when it is won", arguments: ["won", "lost"])
  func dispute(end: String) async throws {
    try await Self.paid { world, payment in
      let before = try #require(world.stripe.balance["eur"])
      let id = try world.stripe.dispute(payment.id)
      let open = try await world.client.dispute(id)
      #expect(open.status.rawValue == "needs_response" && open.amount == 1000 && open.paymentIntent?.id == payment.id)
      #expect(open.balanceTransactions?.map(\.amount) == [-1000] && open.balanceTransactions?.map(\.fee) == [2000])
      #expect(world.stripe.balance["eur"] == before - 3000)
      try world.stripe.close(id, as: end)
      let closed = try await world.client.dispute(id)
      #expect(closed.status.rawValue == end)
      #expect(closed.balanceTransactions?.count == (end == "won" ? 2 : 1))
      #expect(world.stripe.balance["eur"] == (end == "won" ? before : before - 3000))
      let types = world.stripe.eventTypes.filter { $0.hasPrefix("charge.dispute") }
      let begin = ["charge.dispute.created", "charge.dispute.funds_withdrawn", "charge.dispute.closed"]
      #expect(types == begin + (end == "won" ? ["charge.dispute.funds_reinstated"] : []))
    }
  }

  @Test("an inquiry moves no money, unless it becomes a dispute")
  func inquiry() async throws {
    try await Self.paid("4000000000001976") { world, payment in
      let id = try #require(world.stripe.disputeIDs.first)
      let before = try #require(world.stripe.balance["eur"])
      let open = try await world.client.dispute(id)
      #expect(open.status.rawValue == "warning_needs_response" && open.balanceTransactions?.isEmpty == true)
      try world.stripe.close(id, as: "warning_closed")
      #expect(world.stripe.balance["eur"] == before)
      let second = try world.stripe.dispute(payment.id, isInquiry: true)
      try world.stripe.escalate(second)
      #expect(world.stripe.balance["eur"] == before - 3000)
    }
  }

  @Test("a charge with an open dispute is not refunded")
  func refundOfDisputed() async throws {
    try await Self.paid { world, payment in
      try world.stripe.dispute(payment.id)
      let error = try await world.failure { try await Self.refund(world, of: payment.id, amount: nil, id: "1") }
      #expect(error.details.code == "charge_disputed")
    }
  }

  @Test("a bank warns of a fraud, and the charge can be refunded before it is disputed")
  func fraudWarning() async throws {
    try await Self.paid("4000000000005423") { world, payment in
      let events = try await world.client.events(
        since: world.clock.now(), types: ["radar.early_fraud_warning.created"])
      let warning = try await world.client.earlyFraudWarning(try #require(events.first?.data.object.id))
      #expect(warning.paymentIntent?.id == payment.id)
      let status = try await Self.refund(world, of: payment.id, amount: nil, id: "1").status
      #expect(status == .succeeded)
    }
  }

  /// A movement of the balance, with what the store does not read.
  private struct Movement: StripeObject {
    let id: String
    let type: String
    let fee: Int64
    let net: Int64
  }

  @Test("The balance is what its transactions add up to, and a payout names its own")
  func books() async throws {
    try await Self.paid { world, payment in
      _ = try await Self.refund(world, of: payment.id, amount: 300, id: "1")
      let path = "/v1/balance_transactions"
      let transactions: [Movement] = try await world.client.all(path, form: StripeForm())
      #expect(transactions.map(\.type) == ["refund", "charge"] && transactions.map(\.fee) == [0, 40])
      #expect(transactions.reduce(0) { $0 + $1.net } == 660)
      #expect(world.stripe.balance == ["eur": 660])
      let payout = try #require(world.stripe.payOut().first)
      let amounts = try await world.client.payouts(since: world.clock.now()).map(\.amount)
      #expect(amounts == [660])
      var form = StripeForm()
      form.set("payout", to: payout)
      let parts: [Movement] = try await world.client.all(path, form: form)
      #expect(parts.map(\.type) == ["payout", "refund", "charge"] && parts.reduce(0) { $0 + $1.net } == 0)
      #expect(world.stripe.balance["eur"] ?? 0 == 0)
    }
  }
}
