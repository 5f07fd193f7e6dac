import Foundation
import HTTPTypes
import StoreBaseTestSupport
import StripeDouble
import Testing

@testable import StoreStripe

@Suite("Stripe's double: webhook calls", .timeLimit(.minutes(5)))
struct StripeDoubleWebhookTests {
  private static func run(
    _ body: @escaping @Sendable (StripeWorld, WebhookReceiver) async throws -> Void
  ) async throws {
    try await StripeWorld.run { world in
      try await WebhookReceiver.run { receiver in try await body(world, receiver) }
    }
  }

  @Test("calls are signed, with both secrets while one is rolled")
  func signed() async throws {
    try await Self.run { world, receiver in
      let (id, old) = world.stripe.addWebhook(receiver.url)
      _ = try await world.customer()
      let delivered = await world.stripe.deliver()
      #expect(delivered == [200])
      let new = try #require(world.stripe.rollSecret(of: id, keepingOldFor: 3600))
      _ = try await world.customer("a2")
      let secondDelivered = await world.stripe.deliver()
      #expect(secondDelivered == [200])
      world.clock.advance(by: .seconds(3600))
      _ = try await world.customer("a3")
      let thirdDelivered = await world.stripe.deliver()
      #expect(thirdDelivered == [200])
      let taken = try receiver.calls.map { call in
        try [old, new].map { secret in
          let secret = try #require(StripeWebhookSecret(secret))
          return
            (try? StripeSignature(call.signature).verify(call.body, secrets: [secret], now: world.clock.now() - 200))
            != nil
        }
      }
      // The first two calls are an hour old by now.
      #expect(taken == [[false, false], [false, false], [false, true]])
      let early = try receiver.calls.prefix(2).map { call in
        try [old, new].map { secret in
          let (secret, then) = (try #require(StripeWebhookSecret(secret)), world.clock.now() - 3600)
          return (try? StripeSignature(call.signature).verify(call.body, secrets: [secret], now: then)) != nil
        }
      }
      #expect(early == [[true, false], [true, true]])
    }
  }

  @Test("a call that is not accepted is repeated for three days, with a new signature and the same event")
  func repeated() async throws {
    try await Self.run { world, receiver in
      let secret = try #require(StripeWebhookSecret(world.stripe.addWebhook(receiver.url).secret))
      receiver.answer(.internalServerError, .movedPermanently)
      _ = try await world.customer()
      let delivered = await world.stripe.deliver()
      #expect(delivered == [500])
      let secondDelivered = await world.stripe.deliver()
      #expect(secondDelivered == [])
      world.clock.advance(by: .seconds(300))
      let thirdDelivered = await world.stripe.deliver()
      #expect(thirdDelivered == [301])
      world.clock.advance(by: .seconds(1800))
      let fourthDelivered = await world.stripe.deliver()
      #expect(fourthDelivered == [200])
      let ids = try Set(receiver.calls.map { try $0.event.id })
      #expect(ids.count == 1)
      let last = try #require(receiver.calls.last)
      try StripeSignature(last.signature).verify(last.body, secrets: [secret], now: world.clock.now())
      world.clock.advance(by: .seconds(86_400))
      let fifthDelivered = await world.stripe.deliver()
      #expect(fifthDelivered == [])
    }
  }

  /// The events that a webhook has taken, or has not.
  private static func events(_ world: StripeWorld, delivered: Bool) async throws -> [StripeEvent] {
    var form = StripeForm()
    form.set("delivery_success", to: delivered)
    return try await world.client.all("/v1/events", form: form)
  }

  @Test("A call that nobody accepts ends after three days; the list of events says that it was lost")
  func lost() async throws {
    try await Self.run { world, receiver in
      world.stripe.addWebhook("http://127.0.0.1:1/nobody")
      let start = world.clock.now()
      _ = try await world.customer()
      var tries = 0
      while world.stripe.pendingDeliveries > 0 {
        tries += await world.stripe.deliver().count
        world.clock.advance(by: .seconds(300))
      }
      #expect(tries == 11 && world.clock.now().timeIntervalSince(start) / 86_400 < 3.1)
      let types = try await Self.events(world, delivered: false).map(\.type)
      #expect(types == ["customer.created"])
      let events = try await Self.events(world, delivered: true)
      #expect(events.isEmpty)
      world.clock.advance(by: .seconds(28 * 86_400))
      let secondEvents = try await world.client.events(since: start)
      #expect(secondEvents.isEmpty)
    }
  }

  @Test("calls come late, more than once, and in another order")
  func disturbed() async throws {
    try await Self.run { world, receiver in
      world.stripe.addWebhook(receiver.url, events: ["payment_intent.payment_failed", "payment_intent.succeeded"])
      var policy = DeliveryPolicy()
      (policy.order, policy.copies, policy.delay) = (.reversed, 2, 4 * 86_400)
      world.stripe.setPolicy(policy)
      let customer = try await world.customer()
      let method = try await world.save(for: customer)
      try world.stripe.decline(method, with: [Decline("insufficient_funds")])
      let kind = try await world.failure { try await world.charge(customer, method: method) }.kind
      #expect(kind == .card)
      _ = try await world.charge(customer, method: method, attempt: 2)
      let delivered = await world.stripe.deliver()
      #expect(delivered == [])
      world.clock.advance(by: .seconds(4 * 86_400))
      let secondDelivered = await world.stripe.deliver()
      #expect(secondDelivered == [200, 200, 200, 200])
      let types = try receiver.calls.map { try $0.event.type }
      #expect(types.first == "payment_intent.succeeded" && types.last == "payment_intent.payment_failed")
      let ids = try Set(receiver.calls.map { try $0.event.id })
      #expect(ids.count == 2)
    }
  }

  @Test("a call may come before the answer to the request that caused it")
  func beforeAnswer() async throws {
    try await Self.run { world, receiver in
      world.stripe.addWebhook(receiver.url, events: ["payment_intent.succeeded"])
      let customer = try await world.customer()
      let method = try await world.save(for: customer)
      world.stripe.next(.webhooksFirst, on: "POST payment_intents")
      let payment = try await world.charge(customer, method: method)
      let ids = try receiver.calls.map { try $0.event.data.object.id }
      #expect(ids == [payment.id])
    }
  }

  @Test("Calls that were lost altogether are in the list of events")
  func swept() async throws {
    try await Self.run { world, receiver in
      world.stripe.addWebhook(receiver.url)
      _ = try await world.customer()
      world.stripe.loseDeliveries()
      let delivered = await world.stripe.deliver()
      #expect(delivered == [])
      let events = try await Self.events(world, delivered: false)
      #expect(events.map(\.type) == ["customer.created"] && events.first?.data.object.object == "customer")
    }
  }
}
