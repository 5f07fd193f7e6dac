import Foundation
import HTTPTypes
import Hummingbird
import Logging
import OnsideCommerce
import StoreBaseTestSupport
import StripeDouble
import Synchronization
import Testing

@testable import StoreStripe

/// A double of Stripe with a clock that stands still, and the store's client of it.
struct StripeWorld: Sendable {
  let stripe: StripeServerDouble
  let clock: ManualClock
  let client: StripeClient

  static func run(
    clock: ManualClock = ManualClock(), _ body: @escaping @Sendable (StripeWorld) async throws -> Void
  ) async throws {
    try await StripeServerDouble.run(now: { clock.now() }) { stripe in
      let key = try #require(StripeKey(stripe.secretKey))
      try await body(
        StripeWorld(
          stripe: stripe, clock: clock, client: StripeClient(key: key, address: stripe.address, timeout: .seconds(60))))
    }
  }

  /// Calls as a page does.
  var page: StripeClient {
    get throws {
      let key = try #require(StripeKey(stripe.publishableKey))
      return StripeClient(key: key, address: stripe.address, timeout: .seconds(60))
    }
  }

  func customer(_ account: String = "a1") async throws -> String {
    try await client.createCustomer(
      metadata: ["account": account], key: StripeIdempotencyKey("customer", subject: account)
    ).id
  }

  /// Saves a card as a page does; the buyer agrees at the bank where that is asked for.
  func save(_ number: String = "4242424242424242", for customer: String) async throws -> String {
    let setup = try await client.createSetupIntent(
      StripeNewSetup(customer: customer), key: StripeIdempotencyKey("setup", subject: customer + number))
    var form = Self.card(number)
    form.set("client_secret", to: setup.clientSecret)
    let confirmed: StripeSetupIntent = try await page.post(
      "/v1/setup_intents/\(setup.id)/confirm", form: form,
      key: StripeIdempotencyKey("page", subject: setup.id))
    if confirmed.status == .requiresAction { try stripe.authenticate(setup.id) }
    return try #require(try await client.setupIntent(setup.id).paymentMethod?.id)
  }

  /// A card as a page sends it.
  private static func card(_ number: String) -> StripeForm {
    var form = StripeForm()
    for (name, value) in EnteredCard.parameters(number) { form.set(name, to: value) }
    return form
  }

  /// An amount in cents of a euro.
  static func amount(_ cents: Int64) throws -> StripeAmount {
    try StripeAmount(Money(minorUnits: cents, currency: .eur))
  }

  static func renewal(
    _ customer: String, method: String, amount: Int64 = 499, charge: String = "c1"
  ) throws -> StripeNewPayment {
    StripeNewPayment(
      amount: try Self.amount(amount), customer: customer, method: method, isOffSession: true,
      isConfirmed: true, metadata: ["charge": charge])
  }

  /// Charges without the buyer.
  func charge(
    _ customer: String, method: String, amount: Int64 = 499, charge: String = "c1", attempt: Int64 = 1
  ) async throws -> StripePaymentIntent {
    try await client.createPayment(
      try Self.renewal(customer, method: method, amount: amount, charge: charge),
      key: StripeIdempotencyKey("charge", subject: charge, attempt: attempt, method: method))
  }

  /// Tries once more to charge a payment, with another method or the same.
  func confirm(_ payment: String, method: String) async throws -> StripePaymentIntent {
    var form = StripeForm()
    form.set("payment_method", to: method)
    form.set("off_session", to: true)
    return try await client.post(
      "/v1/payment_intents/\(payment)/confirm", form: form,
      key: StripeIdempotencyKey("confirm", subject: payment, method: method))
  }

  /// The error that a call ends with.
  func failure(_ body: () async throws -> some Any) async throws -> StripeError {
    do {
      _ = try await body()
    } catch let error as StripeError {
      return error
    }
    throw NoFailure()
  }

  struct NoFailure: Error {}
}

/// A webhook's address, which keeps what came.
final class WebhookReceiver: Sendable {
  struct Call: Sendable {
    let body: [UInt8]
    let signature: String?

    var event: StripeEvent {
      get throws { try StripeJSON.decode(StripeEvent.self, from: Data(body)) }
    }
  }

  private let state = Mutex<(calls: [Call], statuses: [HTTPResponse.Status])>(([], []))
  private let port = Mutex(0)

  static func run(_ body: @escaping @Sendable (WebhookReceiver) async throws -> Void) async throws {
    let receiver = WebhookReceiver()
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let router = Router()
    router.post("/hook") { request, _ in
      let body = try await request.body.collect(upTo: 1 << 20)
      let signature = HTTPField.Name("Stripe-Signature").flatMap { request.headers[$0] }
      return Response(status: receiver.take(Call(body: Array(body.readableBytesView), signature: signature)))
    }
    let application = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in
        listening.yield(channel.localAddress?.port ?? 0)
        listening.finish()
      }, logger: Logger(label: "webhooks", factory: { _ in SwiftLogNoOpLogHandler() }))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await application.run() }
      for await port in ports {
        receiver.port.withLock { $0 = port }
        try await body(receiver)
      }
      tasks.cancelAll()
      try? await tasks.waitForAll()
    }
  }

  var url: String { "http://127.0.0.1:\(port.withLock { $0 })/hook" }
  var calls: [Call] { state.withLock { $0.calls } }

  /// The next calls are answered so, then with 200.
  func answer(_ statuses: HTTPResponse.Status...) { state.withLock { $0.statuses = statuses } }

  private func take(_ call: Call) -> HTTPResponse.Status {
    state.withLock { state in
      state.calls.append(call)
      return state.statuses.isEmpty ? .ok : state.statuses.removeFirst()
    }
  }
}
