import Foundation
import StoreBaseTestSupport
import StripeDouble
import Testing

@testable import StoreStripe

@Suite("Stripe: the client", .timeLimit(.minutes(5)))
struct StripeClientTests {
  @Test("A card is saved, charged without its buyer, and refunded in part")
  func walk() async throws {
    try await StripeWorld.run { world in
      let customer = try await world.customer()
      let method = try await world.save(for: customer)
      let card = try await world.client.paymentMethod(method)
      #expect(card.customer?.id == customer && card.card?.brand == "visa" && card.card?.last4 == "4242")
      let payment = try await world.charge(customer, method: method)
      #expect(payment.status == .succeeded && payment.amount == 499)
      #expect(payment.metadata == ["charge": "c1"])
      let refund = try await world.client.createRefund(
        of: payment.id, amount: try StripeWorld.amount(200),
        metadata: ["refund_id": "r1"], key: StripeIdempotencyKey("refund", subject: "r1"))
      #expect(refund.status == .succeeded && refund.amount == 200 && refund.metadata == ["refund_id": "r1"])
      let charge = try await world.client.charge(try #require(payment.latestCharge?.id))
      #expect(charge.amountRefunded == 200)
      let id = try await world.client.refund(refund.id).paymentIntent?.id
      #expect(id == payment.id)
    }
  }

  @Test("Every POST has an idempotency key, and every call the pinned version")
  func headers() async throws {
    try await StripeWorld.run { world in
      let customer = try await world.customer()
      let method = try await world.save(for: customer)
      _ = try await world.charge(customer, method: method)
      try await world.client.detachPaymentMethod(method, key: StripeIdempotencyKey("detach", subject: method))
      try await world.client.deleteCustomer(customer)
      let requests = world.stripe.requests
      #expect(requests.allSatisfy { $0.version == "2026-10-28.endive" })
      #expect(requests.allSatisfy { ($0.method == "POST") == ($0.idempotencyKey != nil) })
      #expect(requests.contains { $0.method == "DELETE" } && requests.contains { $0.method == "GET" })
    }
  }

  @Test("A declined card is an error with the bank's reason and the payment, which stays")
  func declined() async throws {
    try await StripeWorld.run { world in
      let customer = try await world.customer()
      let method = try await world.save("4000000000000341", for: customer)
      try world.stripe.decline(method, with: [Decline("lost_card", adviceCode: "do_not_try_again")])
      let error = try await world.failure { try await world.charge(customer, method: method) }
      #expect(error.kind == .card && error.status == 402)
      #expect(error.details.code == "card_declined" && error.details.declineCode == "lost_card")
      #expect(error.details.adviceCode == "do_not_try_again")
      #expect(error.details.paymentIntent?.status == .requiresPaymentMethod)
      #expect(error.details.paymentIntent?.lastPaymentError?.consequence == .stop)
      #expect(StripeDecline(error)?.consequence == .stop)
      #expect(error.requestID?.hasPrefix("req_") == true)
      #expect("\(error)".contains("decline_code=lost_card") && "\(error)".contains("request=req_"))
    }
  }

  @Test("An error has the kind of its status, and tells how long to wait")
  func kinds() async throws {
    try await StripeWorld.run { world in
      let client = world.client
      let missing = try await world.failure { try await client.payment("pi_none") }
      #expect(missing.kind == .invalidRequest && missing.status == 404 && missing.details.code == "resource_missing")
      let stranger = StripeClient(key: try #require(StripeKey("sk_test_wrong")), address: world.stripe.address)
      let kind = try await world.failure { try await stranger.balance() }.kind
      #expect(kind == .authentication)
      let secondKind = try await world.failure { try await world.page.balance() }.kind
      #expect(secondKind == .permission)
      world.stripe.next(.rateLimited(retryAfter: 7))
      let limited = try await world.failure { try await client.balance() }
      #expect(limited.kind == .rateLimit && limited.retryAfter == .seconds(7))
      world.stripe.next(.serverError(afterEffect: false))
      let thirdKind = try await world.failure { try await client.balance() }.kind
      #expect(thirdKind == .api)
      world.stripe.next(.cutBefore)
      let fourthKind = try await world.failure { try await client.balance() }.kind
      #expect(fourthKind == .noAnswer)
    }
  }

  @Test("A call ends in time when Stripe does not answer")
  func timeout() async throws {
    try await StripeWorld.run { world in
      let gate = StripeGate()
      world.stripe.next(.held(gate))
      let hasty = StripeClient(
        key: try #require(StripeKey(world.stripe.secretKey)), address: world.stripe.address, timeout: .milliseconds(50))
      let kind = try await world.failure { try await hasty.balance() }.kind
      #expect(kind == .noAnswer)
      gate.open()
    }
  }

  @Test("A list is read to its end, page by page")
  func pages() async throws {
    try await StripeWorld.run { world in
      let customer = try await world.customer()
      let method = try await world.save(for: customer)
      for number in 0..<205 { _ = try await world.charge(customer, method: method, charge: "c\(number)") }
      let found = try await world.client.payments(of: customer, since: world.clock.now())
      #expect(found.count == 205 && Set(found.map(\.id)).count == 205)
      #expect(found.first?.metadata?["charge"] == "c204")
      let payments = try await world.client.payments(of: customer, since: world.clock.now() + 1)
      #expect(payments.isEmpty)
    }
  }

  @Test("What the operator is told about: balance, webhooks")
  func operatorQuestions() async throws {
    try await StripeWorld.run { world in
      let (id, _) = world.stripe.addWebhook("https://store.example/hook", events: ["payment_intent.succeeded"])
      let endpoints = try await world.client.webhookEndpoints()
      #expect(endpoints.map(\.id) == [id] && endpoints.first?.status == "enabled")
      #expect(endpoints.first?.enabledEvents == ["payment_intent.succeeded"])
      let livemode = try await world.client.balance().livemode
      #expect(livemode == false)
    }
  }

  @Test("Fields and names of a later version are passed over; references are ids or objects")
  func tolerant() throws {
    let json = """
      {"id":"pi_1","object":"payment_intent","amount":1,"currency":"eur","status":"teleported","created":1,
      "livemode":false,"latest_charge":{"id":"ch_1","object":"charge","new":[1]},"payment_method":"pm_1",
      "metadata":{"charge_id":"7","order":"x"},"a_new_field":{"deep":[{}]}}
      """
    let payment = try StripeJSON.decode(StripePaymentIntent.self, from: Data(json.utf8))
    #expect(payment.status.rawValue == "teleported" && payment.latestCharge?.id == "ch_1")
    #expect(payment.paymentMethod?.id == "pm_1" && payment.metadata == ["charge_id": "7", "order": "x"])
    let actualID = try StripeJSON.decode(StripeReference.self, from: Data(#""re_1""#.utf8)).id
    #expect(actualID == "re_1")
  }
}
