import Foundation
import StoreBaseTestSupport
import StripeDouble
import Testing

@testable import StoreStripe

@Suite("Stripe's double: payments", .timeLimit(.minutes(5)))
struct StripeDoubleTests {
  @Test("an answer is lost after the charge; the same key gets the same payment, and one charge")
  func answerLost() async throws {
    try await StripeWorld.run { world in
      let customer = try await world.customer()
      let method = try await world.save(for: customer)
      world.stripe.next(.answerLost, on: "POST payment_intents")
      let kind = try await world.failure { try await world.charge(customer, method: method) }.kind
      #expect(kind == .noAnswer)
      let payment = try await world.charge(customer, method: method)
      #expect(world.stripe.payments.map(\.id) == [payment.id])
      #expect(world.stripe.payments.first?.successfulCharges == 1)
    }
  }

  @Test("a key in use is refused with 409, and then answers the same")
  func keyInUse() async throws {
    try await StripeWorld.run { world in
      let customer = try await world.customer()
      let method = try await world.save(for: customer)
      let gate = StripeGate()
      world.stripe.next(.held(gate), on: "POST payment_intents")
      async let first = world.charge(customer, method: method)
      await gate.reached()
      let error = try await world.failure { try await world.charge(customer, method: method) }
      #expect(error.kind == .conflict && error.details.code == "idempotency_key_in_use")
      gate.open()
      let payment = try await first
      let id = try await world.charge(customer, method: method).id
      #expect(id == payment.id)
      #expect(world.stripe.payments.count == 1)
    }
  }

  @Test("a 500 is replayed under its key, whether or not the charge was made", arguments: [true, false])
  func storedFailure(afterEffect: Bool) async throws {
    try await StripeWorld.run { world in
      let customer = try await world.customer()
      let method = try await world.save(for: customer)
      world.stripe.next(.serverError(afterEffect: afterEffect), on: "POST payment_intents")
      for _ in 0..<2 {
        let error = try await world.failure { try await world.charge(customer, method: method) }
        #expect(error.kind == .api)
      }
      let found = try await world.client.payments(of: customer, since: world.clock.now())
      #expect(found.map { $0.metadata?["charge"] } == (afterEffect ? ["c1"] : []))
      let status = try await world.charge(customer, method: method, attempt: 2).status
      #expect(status == .succeeded)
    }
  }

  @Test("A key with other parameters is refused; a refused call leaves its key free; a key ends after a day")
  func keys() async throws {
    try await StripeWorld.run { world in
      let customer = try await world.customer()
      let method = try await world.save(for: customer)
      let key = StripeIdempotencyKey("charge", subject: "k")
      let bad = try StripeWorld.renewal("cus_none", method: method)
      let kind = try await world.failure { try await world.client.createPayment(bad, key: key) }.kind
      #expect(kind == .invalidRequest)
      let good = try StripeWorld.renewal(customer, method: method)
      let payment = try await world.client.createPayment(good, key: key)
      let other = try StripeWorld.renewal(customer, method: method, amount: 500)
      let secondKind = try await world.failure { try await world.client.createPayment(other, key: key) }.kind
      #expect(secondKind == .idempotency)
      world.clock.advance(by: .seconds(86_399))
      let id = try await world.client.createPayment(good, key: key).id
      #expect(id == payment.id)
      world.clock.advance(by: .seconds(1))
      let secondID = try await world.client.createPayment(good, key: key).id
      #expect(secondID != payment.id)
    }
  }

  @Test("A cut connection leaves nothing behind")
  func cut() async throws {
    try await StripeWorld.run { world in
      let customer = try await world.customer()
      let method = try await world.save(for: customer)
      world.stripe.next(.cutBefore, on: "POST payment_intents")
      let kind = try await world.failure { try await world.charge(customer, method: method) }.kind
      #expect(kind == .noAnswer)
      #expect(world.stripe.payments.isEmpty)
      let status = try await world.charge(customer, method: method).status
      #expect(status == .succeeded)
    }
  }

  @Test("a bank that wants the buyer answers 402; three days later the buyer pays the same payment")
  func authentication() async throws {
    try await StripeWorld.run { world in
      let customer = try await world.customer()
      let method = try await world.save("4000002760003184", for: customer)
      let error = try await world.failure { try await world.charge(customer, method: method) }
      #expect(StripeDecline(error)?.consequence == .askBuyer)
      let payment = try #require(error.details.paymentIntent)
      #expect(payment.status == .requiresPaymentMethod)
      world.clock.advance(by: .seconds(3 * 86_400))
      var form = StripeForm()
      form.set("payment_method", to: method)
      form.set("client_secret", to: payment.clientSecret)
      let waiting: StripePaymentIntent = try await world.page.post(
        "/v1/payment_intents/\(payment.id)/confirm", form: form, key: StripeIdempotencyKey("page", subject: "1"))
      #expect(waiting.status == .requiresAction)
      try world.stripe.authenticate(payment.id)
      let status = try await world.client.payment(payment.id).status
      #expect(status == .succeeded)
      #expect(world.stripe.payments.map(\.successfulCharges) == [1])
    }
  }

  @Test("the same may come as 200 with requires_action; a buyer who refuses may try again")
  func actionWithoutError() async throws {
    try await StripeWorld.run { world in
      let customer = try await world.customer()
      let method = try await world.save(for: customer)
      try world.stripe.askWithoutError(method)
      let payment = try await world.charge(customer, method: method)
      #expect(payment.status == .requiresAction)
      try world.stripe.authenticate(payment.id, agrees: false)
      let refused = try await world.client.payment(payment.id)
      #expect(refused.status == .requiresPaymentMethod && refused.lastPaymentError?.consequence == .askBuyer)
      let again = try await world.confirm(payment.id, method: method)
      #expect(again.status == .succeeded)
    }
  }

  @Test("A card that was agreed to while it was saved pays without its buyer")
  func setUpOnce() async throws {
    try await StripeWorld.run { world in
      let customer = try await world.customer()
      let method = try await world.save("4000002500003155", for: customer)
      let status = try await world.charge(customer, method: method).status
      #expect(status == .succeeded)
    }
  }

  @Test("a direct debit is processing, and succeeds or fails days later", arguments: [true, false])
  func processing(succeeds: Bool) async throws {
    try await StripeWorld.run { world in
      let customer = try await world.customer()
      var form = StripeForm()
      form.set("amount", to: 499)
      form.set("currency", to: "eur")
      form.set("customer", to: customer)
      form.set("confirm", to: true)
      form.set("allowed_payment_method_types", to: ["sepa_debit"])
      form.set("payment_method_data[type]", to: "sepa_debit")
      form.set("payment_method_data[sepa_debit][iban]", to: "AT611904300234573201")
      let payment: StripePaymentIntent = try await world.client.post(
        "/v1/payment_intents", form: form, key: StripeIdempotencyKey("debit", subject: "1"))
      #expect(payment.status == .processing)
      world.clock.advance(by: .seconds(5 * 86_400))
      try world.stripe.settle(payment.id, succeeds: succeeds)
      let ended = try await world.client.payment(payment.id)
      #expect(ended.status == (succeeds ? .succeeded : .requiresPaymentMethod))
      #expect((ended.lastPaymentError == nil) == succeeds)
    }
  }

  @Test("a hard decline is final; another card pays the same payment")
  func hardDecline() async throws {
    try await StripeWorld.run { world in
      let customer = try await world.customer()
      let method = try await world.save(for: customer)
      try world.stripe.decline(method, with: [Decline("stolen_card", adviceCode: "do_not_try_again")])
      let error = try await world.failure { try await world.charge(customer, method: method) }
      #expect(StripeDecline(error)?.consequence == .stop)
      let other = try await world.save("5555555555554444", for: customer)
      let payment = try #require(error.details.paymentIntent)
      let paid = try await world.confirm(payment.id, method: other)
      #expect(paid.status == .succeeded && paid.paymentMethod?.id == other)
    }
  }

  @Test("A payment that was cancelled can be paid no more, and one that was paid not cancelled")
  func cancelled() async throws {
    try await StripeWorld.run { world in
      let customer = try await world.customer()
      let method = try await world.save(for: customer)
      let payment = try await world.client.createPayment(
        StripeNewPayment(amount: try StripeWorld.amount(100), customer: customer),
        key: StripeIdempotencyKey("payment", subject: "1"))
      #expect(payment.status == .requiresPaymentMethod)
      let cancelled = try await world.client.cancelPayment(
        payment.id, key: StripeIdempotencyKey("cancel", subject: "1"))
      #expect(cancelled.status == .canceled)
      let error = try await world.failure { try await world.confirm(payment.id, method: method) }
      #expect(error.details.code == "payment_intent_unexpected_state")
      #expect(error.details.paymentIntent?.status == .canceled)
      let paid = try await world.charge(customer, method: method)
      let late = try await world.failure {
        try await world.client.cancelPayment(paid.id, key: StripeIdempotencyKey("cancel", subject: "2"))
      }
      #expect(late.details.paymentIntent?.status == .succeeded)
    }
  }

  @Test("more calls than a second allows get 429 with Retry-After, and do nothing")
  func rateLimit() async throws {
    try await StripeWorld.run { world in
      let customer = try await world.customer()
      let method = try await world.save(for: customer)
      world.stripe.limit(to: 2, retryAfter: 3)
      world.clock.advance(by: .seconds(1))
      for number in 0..<2 { _ = try await world.charge(customer, method: method, charge: "c\(number)") }
      let error = try await world.failure { try await world.charge(customer, method: method, charge: "c3") }
      #expect(error.kind == .rateLimit && error.retryAfter == .seconds(3))
      #expect(world.stripe.payments.count == 2)
      world.clock.advance(by: .seconds(1))
      let status = try await world.charge(customer, method: method, charge: "c3").status
      #expect(status == .succeeded)
    }
  }

  @Test("a card that its bank renewed pays again")
  func cardUpdater() async throws {
    try await StripeWorld.run { world in
      let customer = try await world.customer()
      let method = try await world.save("4000000000000341", for: customer)
      let kind = try await world.failure { try await world.charge(customer, method: method) }.kind
      #expect(kind == .card)
      try world.stripe.renewCard(method, lastFour: "1111", year: 2040)
      let last4 = try await world.client.paymentMethod(method).card?.last4
      #expect(last4 == "1111")
      #expect(world.stripe.eventTypes.last == "payment_method.automatically_updated")
      let status = try await world.charge(customer, method: method, attempt: 2).status
      #expect(status == .succeeded)
    }
  }

  @Test("a customer deleted by hand, or a method detached by hand, is a decline that is final")
  func gone() async throws {
    try await StripeWorld.run { world in
      let customer = try await world.customer()
      let method = try await world.save(for: customer)
      try world.stripe.detachByHand(method)
      let detached = try await world.failure { try await world.charge(customer, method: method) }
      #expect(detached.kind == .invalidRequest && StripeDecline(detached)?.consequence == .stop)
      let second = try await world.save("5555555555554444", for: customer)
      try world.stripe.deleteByHand(customer)
      #expect(try await world.client.customer(customer).isDeleted)
      let deleted = try await world.failure { try await world.charge(customer, method: second, attempt: 2) }
      #expect(StripeDecline(deleted)?.consequence == .stop)
      // Another mistake is none of the method's.
      let wrong = try await world.failure { try await world.client.payment("pi_none") }
      #expect(StripeDecline(wrong) == nil)
    }
  }

  @Test("A card that is declined while it is saved is not saved, and one that is another's cannot be charged")
  func saving() async throws {
    try await StripeWorld.run { world in
      let (first, second) = (try await world.customer("a1"), try await world.customer("a2"))
      let error = try await world.failure { try await world.save("4000000000009995", for: first) }
      #expect(error.details.declineCode == "insufficient_funds")
      #expect(error.kind == .card)
      #expect(world.stripe.savedMethods.isEmpty)
      let method = try await world.save(for: second)
      let foreign = try await world.failure { try await world.charge(first, method: method) }
      #expect(StripeDecline(foreign)?.consequence == .stop)
    }
  }

  @Test("Parameters that Stripe does not have are refused, as are missing and malformed ones")
  func parameters() async throws {
    try await StripeWorld.run { world in
      let codes = try await Self.codes(
        world,
        [
          ["amout": "1"], ["currency": "eur"], ["amount": "x", "currency": "eur"],
          ["payment_method_types[0]": "card"],
        ])
      #expect(
        codes == [
          "parameter_unknown", "parameter_missing", "parameter_invalid_integer",
          "payment_method_types_no_longer_supported",
        ])
    }
  }

  private static func codes(_ world: StripeWorld, _ forms: [[String: String]]) async throws -> [String?] {
    var codes: [String?] = []
    for (number, members) in forms.enumerated() {
      var form = StripeForm()
      for (name, value) in members { form.set(name, to: value) }
      let (sent, key) = (form, StripeIdempotencyKey("payment", subject: "\(number)"))
      let error = try await world.failure { () async throws(StripeError) -> StripePaymentIntent in
        try await world.client.post("/v1/payment_intents", form: sent, key: key)
      }
      codes.append(error.details.code)
    }
    return codes
  }
}
