import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StripeDouble
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreStripe

/// A store that is paid through the double of Stripe, and one of its buyers. All of them have the same clock, which
/// stands still.
struct StripeStore: Sendable {
  let stripe: StripeServerDouble
  let store: TestStore
  let shopper: Shopper
  let webhook: (id: String, secret: String)
  let settings: StripeSettings

  var clock: ManualClock { store.clock }
  var provider: StripePaymentProvider {
    get throws { try #require(store.core.providers.active as? StripePaymentProvider) }
  }

  static func run(
    country: String = "NL", _ body: @escaping @Sendable (StripeStore) async throws -> Void
  ) async throws {
    let clock = ManualClock()
    try await StripeServerDouble.run(now: { clock.now() }) { stripe in
      let webhook = stripe.addWebhook("https://store.example/providers/stripe/events")
      let settings = try StripeSettings(Self.configuration(stripe, secret: webhook.secret), in: .sandbox)
      let store = try await TestStore(
        clock: clock, providers: [{ StripePaymentProvider(settings, $0) }, { SandboxPaymentProvider($0) }])
      try await store.shop(country: country) { shopper in
        try await body(
          StripeStore(stripe: stripe, store: store, shopper: shopper, webhook: webhook, settings: settings))
      }
    }
  }

  static func configuration(_ stripe: StripeServerDouble, secret: String) -> StripeConfiguration {
    var configuration = StripeConfiguration()
    configuration.secretKey = ConfigurationSecret(stripe.secretKey)
    configuration.publishableKey = stripe.publishableKey
    configuration.webhookSecret = ConfigurationSecret(secret)
    configuration.apiAddress = URL(string: stripe.address)
    configuration.timeout = .seconds(60)
    return configuration
  }

  // MARK: The buyer

  func order(_ product: String = "coins") async throws -> OrderMessage { try await shopper.order(product) }

  func stage(_ order: OrderMessage) async throws -> OrderState.Stage { try await shopper.order(order.id).state }

  @discardableResult
  func pay(_ order: OrderMessage, with choice: PaymentChoice) async throws -> PaymentOutcome {
    let token = try #require(order.paymentURL?.lastPathComponent)
    return try await store.core.payments.pay(token, with: choice, shownPrice: order.price.money)
  }

  /// Says that the second step is done.
  @discardableResult
  func confirm(_ order: OrderMessage) async throws -> PaymentOutcome {
    try await store.core.payments.confirmSecondStep(try #require(order.paymentURL?.lastPathComponent))
  }

  /// What Stripe's script does on the page: a card is entered for the newest payment, and its bank agrees.
  func enter(_ number: String = "4242424242424242") async throws {
    let payment = try #require(stripe.payments.last)
    var form = StripeForm.card(number)
    form.set("client_secret", to: payment.clientSecret)
    try await act(payment.id, form: form)
  }

  /// The same for the newest setup.
  ///
  /// - Parameter agrees: what the buyer says to the bank, where that asks.
  func setUp(_ number: String = "4242424242424242", agrees: Bool = true) async throws {
    let setup = try #require(stripe.setups.last)
    var form = StripeForm.card(number)
    form.set("client_secret", to: setup.clientSecret)
    let page = StripeClient(key: settings.publishableKey, address: stripe.address)
    let confirmed: StripeSetupIntent = try await page.post(
      "/v1/setup_intents/\(setup.id)/confirm", form: form,
      key: StripeIdempotencyKey("page:\(store.freshID().lowercase)"))
    if confirmed.status == .requiresAction { try stripe.authenticate(setup.id, agrees: agrees) }
  }

  /// The buyer agrees at the bank to the newest payment, which has a saved card.
  func agree(with method: String) async throws {
    let payment = try #require(stripe.payments.last)
    var form = StripeForm()
    form.set("payment_method", to: method)
    form.set("client_secret", to: payment.clientSecret)
    try await act(payment.id, form: form)
  }

  private func act(_ payment: String, form: StripeForm) async throws {
    let page = StripeClient(key: settings.publishableKey, address: stripe.address)
    let confirmed: StripePaymentIntent = try await page.post(
      "/v1/payment_intents/\(payment)/confirm", form: form,
      key: StripeIdempotencyKey("page:\(store.freshID().lowercase)"))
    if confirmed.status == .requiresAction { try stripe.authenticate(payment) }
  }

  /// Saves a card on the page of saved methods; returns the store's id of it.
  @discardableResult
  func save(_ number: String = "4242424242424242") async throws -> SavedPaymentMethod {
    let provider = try provider
    let id = store.freshID().lowercase
    var setup = MethodSetupRequest(
      id: id, account: shopper.accountID, environment: .sandbox, choice: "card", fields: [:], reference: nil)
    guard case .needsAction(let reference) = try await provider.beginSaving(setup) else { throw NotSaved() }
    let page = StripeClient(key: settings.publishableKey, address: stripe.address)
    var form = StripeForm.card(number)
    form.set("client_secret", to: try await provider.client.setupIntent(reference).clientSecret)
    let confirmed: StripeSetupIntent = try await page.post(
      "/v1/setup_intents/\(reference)/confirm", form: form, key: StripeIdempotencyKey("page:\(id)"))
    if confirmed.status == .requiresAction { try stripe.authenticate(reference) }
    setup = MethodSetupRequest(
      id: id, account: shopper.accountID, environment: .sandbox, choice: "card", fields: [:], reference: reference)
    guard case .saved(let details) = try await provider.finishSaving(setup) else { throw NotSaved() }
    try await store.core.dependencies.database.write(at: clock.now()) { [shopper] in
      try PaymentMethodRecords.record(details, of: "stripe", id: id, for: shopper.accountID, in: $0)
    }
    return try #require(try await methods().first { $0.id == id })
  }

  struct NotSaved: Error {}

  func methods() async throws -> [SavedPaymentMethod] {
    try await store.core.payments.methods(of: shopper.accountID)
  }

  /// Removes the account.
  func removeAccount() async throws {
    #expect(try await store.removeAccount(shopper.accountID))
  }

  // MARK: Stripe's webhook calls

  /// Makes the webhook calls that are due, and what the store has to do after them; returns the answers' statuses.
  @discardableResult
  func tell() async throws -> [Int] {
    let statuses = await stripe.deliver { await take($0) }
    try await store.core.deliverOutbox()
    return statuses
  }

  @Sendable func take(_ call: WebhookCall) async -> Int? {
    try? await post(call.body, signature: call.signature)
  }

  func post(_ body: [UInt8], signature: String?) async throws -> Int {
    var headers: HTTPFields = [.contentType: "application/json"]
    headers[.stripeSignature] = signature
    return try await shopper.client.execute(
      uri: Route.providerEvents.path("stripe"), method: .post, headers: headers, body: ByteBuffer(bytes: body)
    ) { $0.status.code }
  }

  /// Moves the clock, and tries again what failed.
  func later(_ seconds: Int) async throws {
    store.advance(by: .seconds(seconds))
    try await store.core.deliverOutbox()
  }

  // MARK: The books

  /// Whether an order's sale is booked once, and all books agree.
  func isBookedOnce(_ order: OrderMessage) async throws -> Bool {
    let sales = try await store.ledger(order.id).filter { $0.kind == "sale" }
    let faults = try await store.bookFaults()
    #expect(faults == [])
    return sales.filter { $0.debit == "provider:stripe" }.count == 1
  }

  /// Whether an order is paid, and its sale booked once.
  func isPaidOnce(_ order: OrderMessage) async throws -> Bool {
    guard try await stage(order) == .paid else { return false }
    return try await isBookedOnce(order)
  }

  /// A request for a charge of a saved method, as the store makes it.
  func request(
    _ method: SavedPaymentMethod, order: OrderMessage, id: String = "charge-1", reference: String? = nil
  ) -> ChargeRequest {
    var payment = Payment(
      id: id, orderID: order.id.uuid, provider: "stripe", method: method.details.reference, isSaved: true,
      amount: order.price.money, state: .started)
    payment.reference = reference
    return ChargeRequest(payment, account: shopper.accountID, environment: .sandbox, askedAt: clock.now())
  }
}
