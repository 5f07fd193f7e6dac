import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreMerchants
@testable import StorePayments
@testable import StoreSales
@testable import StoreWeb

/// A store with apps, accounts and orders in every stage, and requests that fit them.
struct InterfaceWorld: Sendable {
  static let app = "io.example.lumen"
  static let otherApp = "io.example.tideline"
  static let user = "01935b6c-1d2e-7f3a-8b4c-000000000001"
  static let otherUser = "01935b6c-1d2e-7f3a-8b4c-000000000002"
  static let removedUser = "01935b6c-1d2e-7f3a-8b4c-000000000003"

  let store: TestStore
  let application: StoreApplication
  let places: Places
  /// The `Authorization` of the app's server.
  let credential: String
  /// The API keys of the app, each with one scope.
  let keys: [APIKeyScope: String]
  /// The app's server with a secret for JWTs.
  let merchant: TestMerchant
  /// A wallet that the vault knows, its enrolment sealed, and not confirmed yet.
  let wallet: WalletDevice

  /// The user's orders and pages.
  struct Places: Sendable {
    /// An order that waits for its payment, one to be cancelled, one that is paid, and a granted one of a subscription.
    var open, cancellable, paid, subscribed: String
    /// The unguessable names of pages.
    var paymentPage, receiptPage, methodsPage, refundPage, subscriptionsPage, redeemPage, loginPage: String
  }

  init(unlimited: Bool = false) async throws {
    let store = try await TestStore { configuration in
      guard unlimited else { return }
      configuration.limits.perClient = RateLimit(perSecond: 1_000_000, burst: 1_000_000)
      configuration.limits.perAccount = configuration.limits.perClient
      configuration.limits.perKey = configuration.limits.perClient
    }
    self.store = store
    application = StoreApplication(core: store.core)
    try await Self.fill(store.core)
    let pair = try await ServerCredentials(store.core.dependencies.base).add(app: Self.app)
    credential = "Basic " + Data("\(pair.id):\(pair.secret)".utf8).base64EncodedString()
    keys = try await Self.keys(store.core)
    merchant = try await store.merchant(of: Self.app)
    wallet = WalletDevice(store: store.core, seed: 1)
    try await wallet.enrol()
    try await wallet.seal()
    places = try await application.application().test(.router) { try await Self.places(store, with: $0) }
  }

  /// Calls the store's routes without a socket.
  func test(_ body: @Sendable (any TestClientProtocol) async throws -> Void) async throws {
    try await application.application().test(.router, body)
  }

  func token(_ account: String, app: String = InterfaceWorld.app, at date: Date? = nil) -> String {
    store.core.accessToken.issue(
      accountID: account, appID: app, sessionID: account, now: date ?? store.clock.now())
  }

  private static func fill(_ core: StoreCore) async throws {
    for id in [Self.app, Self.otherApp] {
      try await core.apps.register(App(id: id, name: id, redirectURIs: ["http://127.0.0.1/callback"]))
    }
    let price = [CountryCode.netherlands: Money(minorUnits: 499, currency: .eur)]
    let products = [
      Product(id: "gold", kind: .consumable, referenceName: "Gold", prices: price),
      Product(id: "remove_ads", kind: .nonConsumable, referenceName: "No ads", prices: price),
      Product(
        id: "pro", kind: .autoRenewableSubscription, referenceName: "Pro", prices: price,
        subscription: Subscription(groupID: "plans", groupName: "Plans", period: .oneMonth)),
    ]
    try await core.catalogue.replace(Catalogue(products: products), of: Self.app)
    try await core.dependencies.database.write { connection in
      for (number, id) in [Self.user, Self.otherUser, Self.removedUser].enumerated() {
        try connection.execute(
          "INSERT INTO accounts(id, country, created_at, removed_at) VALUES ($1, 'NL', 0, $2)",
          [.text(id), id == Self.removedUser ? 1 : .null])
        try connection.execute(
          "INSERT INTO identities(contact, account_id, verified_at) VALUES ($1, $2, 0)",
          [.text("+3161234567\(number)"), .text(id)])
      }
    }
  }

  private static func keys(_ core: StoreCore) async throws -> [APIKeyScope: String] {
    var keys: [APIKeyScope: String] = [:]
    for scope in APIKeyScope.all {
      keys[scope] = try await core.apiKeys.add(app: app, name: "", scopes: [scope]).text
    }
    return keys
  }

  private static func places(_ store: TestStore, with client: any TestClientProtocol) async throws -> Places {
    let token = store.core.accessToken.issue(
      accountID: user, appID: app, sessionID: user, now: store.clock.now())
    let paid = try await order("remove_ads", at: store, token: token, with: client)
    let receipt = try #require(paid.paymentURL).lastPathComponent
    _ = try await store.core.payments.pay(
      receipt, with: .offered(SandboxCard.succeeds.rawValue, save: false), shownPrice: paid.price.money)
    try await store.core.deliverOutbox()
    let open = try await order("gold", at: store, token: token, with: client)
    let subscribed = try await store.core.grants.grant(
      GrantService.Gift(account: user, app: app, product: "pro"))
    let methods = try await client.execute(
      uri: Route.paymentMethodsSession.path, method: .post, headers: [.authorization: "Bearer \(token)"])
    let login = try await client.execute(uri: "/login", method: .get)
    return Places(
      open: open.id.description,
      cancellable: try await order("gold", at: store, token: token, with: client).id.description,
      paid: paid.id.description, subscribed: subscribed.uuidString.lowercased(),
      paymentPage: try #require(open.paymentURL).lastPathComponent, receiptPage: receipt,
      methodsPage: try WireCoding.decoder().decode(
        HostedPageMessage.self, from: Data(methods.body.readableBytesView)
      ).url.lastPathComponent,
      refundPage: store.core.hostedPages("refund")
        .token(of: paid.id.uuid, now: store.clock.now()),
      subscriptionsPage: try screen("subscriptions", at: store), redeemPage: try screen("redeem", at: store),
      loginPage: try #require(login.headers[.location].flatMap { URL(string: $0) }).lastPathComponent)
  }

  /// The token of a screen that an app opens for the user.
  private static func screen(_ folder: String, at store: TestStore) throws -> String {
    store.core.hostedPages(folder)
      .token(of: try #require(UUID(uuidString: user)), now: store.clock.now())
  }

  private static func order(
    _ product: String, at store: TestStore, token: String, with client: any TestClientProtocol
  ) async throws -> OrderMessage {
    let id = store.core.dependencies.random.uuid7(at: store.clock.now()).uuidString
    let answer = try await client.execute(
      uri: Route.createOrder.path, method: .post,
      headers: [.authorization: "Bearer \(token)", .idempotencyKey: id, .contentType: "application/json"],
      body: ByteBuffer(bytes: try WireCoding.encoder().encode(OrderRequest(productID: product, country: .netherlands))))
    #expect(answer.status == .created)
    return try WireCoding.decoder().decode(OrderMessage.self, from: Data(answer.body.readableBytesView))
  }
}
