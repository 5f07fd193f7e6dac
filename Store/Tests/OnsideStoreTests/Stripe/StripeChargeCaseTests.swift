import Foundation
import OnsideAPI
import OnsideCommerce
import StripeDouble
import Testing

@testable import OnsideStore
@testable import StorePayments
@testable import StoreSales
@testable import StoreStripe

/// What goes wrong with a real provider.
@Suite("Stripe: charges that do not go by plan", .timeLimit(.minutes(5)))
struct StripeChargeCaseTests {
  @Test("a card is entered in Stripe's fields, pays, and is remembered; the next purchase needs no page")
  func plan() async throws {
    try await StripeStore.run { shop in
      let first = try await shop.order()
      let outcome = try await shop.pay(first, with: .offered("card", save: true))
      #expect(outcome == .secondStep)
      try await shop.enter()
      let secondOutcome = try await shop.confirm(first)
      #expect(secondOutcome == .paid)
      #expect(try await shop.isBookedOnce(first))
      let saved = try #require(try await shop.methods().first)
      #expect(saved.details.brand == "Visa" && saved.details.lastFour == "4242" && saved.details.expires == "2034-12")
      let second = try await shop.order()
      let thirdOutcome = try await shop.pay(second, with: .saved(saved.id))
      #expect(thirdOutcome == .paid)
      #expect(shop.stripe.payments.map(\.successfulCharges) == [1, 1])
      // What Stripe tells of it all changes nothing.
      let answers = try await shop.tell()
      #expect(answers.allSatisfy { $0 == 204 })
      #expect(try await shop.isPaidOnce(first))
      #expect(try await shop.isPaidOnce(second))
    }
  }

  @Test("the answer is lost after the charge: the repetition finds the same payment, one charge, one sale")
  func answerLost() async throws {
    try await StripeStore.run { shop in
      let (saved, order) = (try await shop.save(), try await shop.order())
      shop.stripe.next(.answerLost, on: "POST payment_intents")
      let outcome = try await shop.pay(order, with: .saved(saved.id))
      #expect(outcome == .pending)
      #expect(shop.stripe.payments.map(\.status) == ["succeeded"])
      try await shop.later(2)
      #expect(try await shop.isPaidOnce(order))
      #expect(shop.stripe.payments.map(\.successfulCharges) == [1])
    }
  }

  @Test("PAY-6: a charge whose answer was lost goes back when its account is removed, also when Stripe tells nothing")
  func answerLostOfRemoved() async throws {
    try await StripeStore.run { shop in
      let (saved, order) = (try await shop.save(), try await shop.order())
      shop.stripe.next(.answerLost, on: "POST payment_intents")
      let outcome = try await shop.pay(order, with: .saved(saved.id))
      #expect(outcome == .pending)
      try await shop.removeAccount()
      for _ in 0..<4 { try await shop.later(300) }
      #expect(shop.stripe.payments.map(\.refunded) == [99] && shop.stripe.customers.isEmpty)
      let balances = try await shop.store.balances()
      #expect(balances[Ledger.refundsDue, default: 0] == 0)
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("PAY-6: it is searched for among the payments that were made while it could be, however many come later")
  func searchOfRemoved() async throws {
    try await StripeStore.run { shop in
      let (saved, order) = (try await shop.save(), try await shop.order())
      shop.stripe.next(.answerLost, on: "POST payment_intents")
      let outcome = try await shop.pay(order, with: .saved(saved.id))
      #expect(outcome == .pending)
      try await shop.removeAccount()
      shop.store.advance(by: .seconds(3 * 3600))
      let client = try shop.provider.client
      let other = try await client.createCustomer(metadata: [:], key: StripeIdempotencyKey("other"))
      for number in 0...100 {
        let payment = StripeNewPayment(amount: try StripeAmount(try TestShop.money(99)), customer: other.id)
        _ = try await client.createPayment(payment, key: StripeIdempotencyKey("other \(number)"))
      }
      for _ in 0..<4 { try await shop.later(300) }
      let searches = shop.stripe.requests.filter { $0.method == "GET" && $0.path == "payment_intents" }
      #expect(!searches.isEmpty && searches.allSatisfy { !$0.parameters.contains("starting_after") })
      #expect(shop.stripe.payments.first?.refunded == 99)
    }
  }

  @Test(
    "PAY-6: nor is the money of a renewal kept; what Stripe has never heard of is not charged any more",
    arguments: [true, false])
  func answerLostOfRemovedRenewal(isCharged: Bool) async throws {
    try await StripeStore.run { shop in
      let (saved, order) = (try await shop.save(), try await shop.order("pro"))
      let outcome = try await shop.pay(order, with: .saved(saved.id, keep: true))
      #expect(outcome == .paid)
      let subscriber = Subscriber(shopper: shop.shopper, purchase: try await shop.shopper.order(order.id))
      let end = try #require(subscriber.purchase.expiresAt)
      shop.stripe.next(isCharged ? .answerLost : .cutBefore, on: "POST payment_intents")
      try await subscriber.pass(to: end - 3600)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.processing])
      try await shop.removeAccount()
      for _ in 0..<4 { try await shop.later(300) }
      #expect(shop.stripe.payments.dropFirst().map(\.refunded) == (isCharged ? [999] : []))
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("the key is in use: the call is repeated, and gets the first one's answer")
  func keyInUse() async throws {
    try await StripeStore.run { shop in
      let (saved, order) = (try await shop.save(), try await shop.order())
      let (provider, request) = (try shop.provider, shop.request(saved, order: order))
      let gate = StripeGate()
      shop.stripe.next(.held(gate), on: "POST payment_intents")
      async let first = provider.charge(request)
      await gate.reached()
      await #expect(throws: StripeError.self) { try await provider.charge(request) }
      gate.open()
      let charges = [try await first, try await provider.charge(request)].map(Self.charge)
      #expect(charges.map { $0?.state } == [.succeeded, .succeeded])
      #expect(charges[0]?.reference == charges[1]?.reference && shop.stripe.payments.count == 1)
    }
  }

  @Test("a 500 under the key: what came of it is looked up before another key is used", arguments: [true, false])
  func storedFailure(wasCharged: Bool) async throws {
    try await StripeStore.run { shop in
      let (saved, order) = (try await shop.save(), try await shop.order())
      shop.stripe.next(.serverError(afterEffect: wasCharged), on: "POST payment_intents")
      let outcome = try await shop.pay(order, with: .saved(saved.id))
      #expect(outcome == .pending)
      try await shop.later(2)
      #expect(try await shop.isPaidOnce(order))
      #expect(shop.stripe.payments.map(\.successfulCharges) == [1])
      let keys = shop.stripe.requests.filter { $0.path == "payment_intents" && $0.method == "POST" }
        .map(\.idempotencyKey)
      #expect(Set(keys).count == (wasCharged ? 1 : 2))
    }
  }

  @Test("402 authentication_required while the buyer is away; three days later the same payment goes on")
  func authentication() async throws {
    try await StripeStore.run { shop in
      let (saved, order) = (try await shop.save("4000002760003184"), try await shop.order())
      let provider = try shop.provider
      let asked = try #require(
        Self.charge(try await provider.chargeOffSession(shop.request(saved, order: order))))
      #expect(asked.state == .requiresAction)
      shop.store.advance(by: .seconds(3 * 86_400))
      let request = shop.request(saved, order: order, reference: asked.reference)
      let answer = try await provider.confirm(request)
      #expect(Self.charge(answer)?.state == .requiresAction)
      try await shop.agree(with: saved.details.reference)
      let paid = try #require(Self.charge(try await provider.confirm(request)))
      #expect(paid.state == .succeeded && paid.reference == asked.reference && paid.amount == 99)
      #expect(shop.stripe.payments.map(\.successfulCharges) == [1])
      let state = try await provider.status(of: request)?.state
      #expect(state == .succeeded)
    }
  }

  @Test("the same with an answer of 200 and requires_action")
  func actionWithoutError() async throws {
    try await StripeStore.run { shop in
      let (saved, order) = (try await shop.save(), try await shop.order())
      try shop.stripe.askWithoutError(saved.details.reference)
      let answer = try await shop.provider.chargeOffSession(shop.request(saved, order: order))
      #expect(Self.charge(answer)?.state == .requiresAction)
      try shop.stripe.authenticate(try #require(shop.stripe.payments.last?.id))
      let again = try await shop.provider.chargeOffSession(shop.request(saved, order: order))
      // The kept answer is of before; the object decides.
      let reference = Self.charge(again)?.reference
      let request = shop.request(saved, order: order, reference: reference)
      let confirmed = try await shop.provider.confirm(request)
      #expect(Self.charge(confirmed)?.state == .succeeded)
    }
  }

  @Test("a payment is processing, and its money comes five days later, or never", arguments: [true, false])
  func processing(succeeds: Bool) async throws {
    try await StripeStore.run { shop in
      let order = try await shop.order()
      let payment = try await Self.directDebit(shop, order: order)
      try await shop.tell()
      let stage = try await shop.stage(order)
      #expect(stage == .processing)
      shop.store.advance(by: .seconds(5 * 86_400))
      try shop.stripe.settle(payment, succeeds: succeeds)
      try await shop.tell()
      let secondStage = try await shop.stage(order)
      #expect(secondStage == (succeeds ? .paid : .open))
      let isBookedOnce = try await shop.isBookedOnce(order)
      #expect(isBookedOnce == succeeds)
    }
  }

  @Test("a hard decline asks for another method, and that one pays at once")
  func hardDecline() async throws {
    try await StripeStore.run { shop in
      let (saved, order) = (try await shop.save(), try await shop.order())
      try shop.stripe.decline(
        saved.details.reference, with: [Decline("stolen_card", adviceCode: "do_not_try_again")])
      let answer = try await shop.provider.chargeOffSession(shop.request(saved, order: order))
      #expect(Self.charge(answer)?.state == .declined(.never))
      let other = try await shop.save("5555555555554444")
      let next = try await shop.provider.chargeOffSession(shop.request(other, order: order, id: "charge-2"))
      #expect(Self.charge(next)?.state == .succeeded)
      // The buyer sees that it was declined, and not why.
      try shop.stripe.decline(saved.details.reference, with: [Decline("insufficient_funds")])
      let outcome = try await shop.pay(order, with: .saved(saved.id))
      #expect(outcome == .declined)
    }
  }

  @Test("a key that Stripe may have forgotten: it is looked, and not charged again")
  func oldKey() async throws {
    try await StripeStore.run { shop in
      let (saved, order) = (try await shop.save(), try await shop.order())
      let request = shop.request(saved, order: order)
      shop.stripe.next(.answerLost, on: "POST payment_intents")
      await #expect(throws: StripeError.self) { try await shop.provider.chargeOffSession(request) }
      shop.store.advance(by: .seconds(25 * 3600))
      let found = try await shop.provider.chargeOffSession(request)
      #expect(Self.charge(found)?.state == .succeeded)
      #expect(shop.stripe.payments.count == 1)
      // One that was never made is made.
      let other = shop.request(saved, order: order, id: "charge-2")
      shop.store.advance(by: .seconds(25 * 3600))
      let made = try await shop.provider.chargeOffSession(other)
      #expect(Self.charge(made)?.state == .succeeded)
      #expect(shop.stripe.payments.map(\.successfulCharges) == [1, 1])
    }
  }

  @Test("429 with Retry-After: each charge is repeated until it is made, none twice")
  func rateLimit() async throws {
    try await StripeStore.run { shop in
      let saved = try await shop.save()
      var orders: [OrderMessage] = []
      for _ in 0..<12 { orders.append(try await shop.order()) }
      shop.stripe.limit(to: 3)
      for order in orders { try await shop.pay(order, with: .saved(saved.id)) }
      for _ in 0..<40 { try await shop.later(7) }
      for order in orders {
        let stage = try await shop.stage(order)
        #expect(stage == .paid)
      }
      #expect(shop.stripe.payments.map(\.successfulCharges) == Array(repeating: 1, count: 12))
      #expect(shop.stripe.requests.contains { $0.status == 429 })
      let bookFaults = try await shop.store.bookFaults()
      #expect(bookFaults == [])
    }
  }

  @Test("a customer who was deleted by hand: the saved card is declined, and a new one pays")
  func deletedCustomer() async throws {
    try await StripeStore.run { shop in
      let (saved, order) = (try await shop.save(), try await shop.order())
      let customer = try #require(try await shop.provider.customers.known(shop.shopper.accountID))
      try shop.stripe.deleteByHand(customer)
      let outcome = try await shop.pay(order, with: .saved(saved.id))
      #expect(outcome == .declined)
      let secondOutcome = try await shop.pay(order, with: .offered("card", save: true))
      #expect(secondOutcome == .secondStep)
      try await shop.enter()
      let thirdOutcome = try await shop.confirm(order)
      #expect(thirdOutcome == .paid)
      let known = try await shop.provider.customers.known(shop.shopper.accountID)
      #expect(known != customer)
    }
  }

  @Test("a method that was detached by hand is declined for good, and gone when Stripe has told")
  func detachedMethod() async throws {
    try await StripeStore.run { shop in
      let (saved, order) = (try await shop.save(), try await shop.order())
      try shop.stripe.detachByHand(saved.details.reference)
      let answer = try await shop.provider.chargeOffSession(shop.request(saved, order: order))
      #expect(Self.charge(answer)?.state == .declined(.never))
      let methodCount = try await shop.methods().count
      #expect(methodCount == 1)
      try await shop.tell()
      let methods = try await shop.methods()
      #expect(methods.isEmpty)
    }
  }

  @Test("after a declined card, another card pays the same payment")
  func enteredAgain() async throws {
    try await StripeStore.run { shop in
      let order = try await shop.order()
      let outcome = try await shop.pay(order, with: .offered("card", save: false))
      #expect(outcome == .secondStep)
      await #expect(throws: StripeError.self) { try await shop.enter("4000000000009995") }
      try await shop.tell()
      let secondOutcome = try await shop.confirm(order)
      #expect(secondOutcome == .secondStep)
      try await shop.enter()
      let thirdOutcome = try await shop.confirm(order)
      #expect(thirdOutcome == .paid)
      #expect(shop.stripe.payments.count == 1)
      let methods = try await shop.methods()
      #expect(methods.isEmpty)
    }
  }

  @Test("the buyer closes the page after paying: Stripe's event pays the order")
  func closedPage() async throws {
    try await StripeStore.run { shop in
      let order = try await shop.order()
      try await shop.pay(order, with: .offered("card", save: true))
      try await shop.enter()
      let stage = try await shop.stage(order)
      #expect(stage == .open)
      try await shop.tell()
      #expect(try await shop.isPaidOnce(order))
      let methodCount = try await shop.methods().count
      #expect(methodCount == 1)
    }
  }

  private static func charge(_ answer: ChargeAnswer) -> ProviderCharge? {
    guard case .known(let charge) = answer else { return nil }
    return charge
  }

  /// A direct debit, made at Stripe with the names that the store writes.
  private static func directDebit(_ shop: StripeStore, order: OrderMessage) async throws -> String {
    var form = StripeForm()
    form.set("amount", to: order.price.money.minorUnits)
    form.set("currency", to: "eur")
    form.set("confirm", to: true)
    form.set("allowed_payment_method_types", to: ["sepa_debit"])
    form.set("payment_method_data[type]", to: "sepa_debit")
    form.set("payment_method_data[sepa_debit][iban]", to: "AT611904300234573201")
    form.set("metadata", to: ["charge": "debit-1", "order": order.id.description])
    let payment: StripePaymentIntent = try await shop.provider.client.post(
      "/v1/payment_intents", form: form, key: StripeIdempotencyKey("debit"))
    return payment.id
  }
}
