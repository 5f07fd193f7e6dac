import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreWeb

/// A store where the app Lumen sells four products, for the tests of the shop and payment pages.
struct ShopStore {
  static let app = "io.example.lumen"

  let login: LoginStore
  var store: TestStore { login.store }

  /// - Parameter providers: its payment providers, the first one active; nil for those of the program.
  init(clock: ManualClock = ManualClock(), providers: [PaymentProviderFactory]? = nil) async throws {
    login = try await LoginStore(clock: clock, providers: providers)
    try await sell(coins: 99)
  }

  /// Puts the catalogue on sale, with a price of the coins.
  func sell(coins: Int64) async throws {
    let germany = try #require(CountryCode(alpha2: "DE"))
    func prices(_ amount: Int64) -> [CountryCode: Money] {
      [
        .netherlands: Money(minorUnits: amount, currency: .eur),
        germany: Money(minorUnits: amount + 10, currency: .eur),
      ]
    }
    func text(_ title: String) -> [LocalizedText] {
      [
        LocalizedText(language: "en-US", title: title, description: "About \(title)."),
        LocalizedText(language: "de", title: "\(title) (de)", description: "Über \(title)."),
      ]
    }
    let trial = Offer(
      id: "trial", kind: .introductory, mode: .freeTrial, period: .oneWeek, periodCount: 1, prices: [:])
    let products = [
      Product(
        id: "coins", kind: .consumable, referenceName: "coins", localizations: text("100 <coins>"),
        prices: prices(coins)),
      Product(
        id: "themes", kind: .nonConsumable, referenceName: "themes", localizations: text("Themes"),
        prices: prices(499)),
      Product(
        id: "plus", kind: .autoRenewableSubscription, referenceName: "plus", localizations: text("Plus"),
        prices: prices(999),
        subscription: Subscription(
          groupID: "plus", groupName: "Plus", level: 2, period: .oneMonth, offers: [trial])),
      Product(
        id: "pro", kind: .autoRenewableSubscription, referenceName: "pro", localizations: text("Pro"),
        prices: prices(1499), subscription: Subscription(groupID: "plus", groupName: "Plus", period: .oneMonth)),
    ]
    try await store.core.catalogue.replace(try Catalogue(products: products), of: Self.app)
  }

  func test(_ body: @Sendable (any TestClientProtocol) async throws -> Void) async throws {
    try await login.test(body)
  }

  /// The number of orders of all accounts.
  func orderCount() async throws -> Int64 {
    try await store.core.dependencies.database.read {
      try $0.row("SELECT count(*) AS n FROM orders")?.integer("n") ?? 0
    }
  }

  /// An order of the account, and the path of its payment page.
  func order(
    _ client: any TestClientProtocol, tokens: TokenMessage, product: String = "coins", language: String? = nil
  ) async throws -> (id: OrderID, path: String) {
    let id = OrderID(store.core.dependencies.random.uuid7(at: store.clock.now()))
    let request = OrderRequest(productID: product, country: tokens.country, language: language)
    let response = try await client.execute(
      uri: Route.createOrder.path, method: .post,
      headers: [
        .authorization: "Bearer \(tokens.accessToken)", .contentType: "application/json",
        .idempotencyKey: id.description,
      ], body: ByteBuffer(bytes: try WireCoding.encoder().encode(request)))
    let order = try WireCoding.decoder().decode(OrderMessage.self, from: Data(response.body.readableBytesView))
    return (id, try #require(order.paymentURL).path)
  }

  /// The address of the account's payment methods, as an app opens it.
  func methodsPage(_ client: any TestClientProtocol, tokens: TokenMessage) async throws -> String {
    let response = try await client.execute(
      uri: Route.paymentMethodsSession.path, method: .post, headers: [.authorization: "Bearer \(tokens.accessToken)"])
    let page = try WireCoding.decoder().decode(HostedPageMessage.self, from: Data(response.body.readableBytesView))
    return "\(page.url.path)?\(page.url.query ?? "")".appendingQuery([("return_uri", LoginStore.redirect)])
  }

  func state(
    _ client: any TestClientProtocol, tokens: TokenMessage, id: OrderID
  ) async throws -> OrderMessage {
    let response = try await client.execute(
      uri: Route.order.path(id.description), method: .get,
      headers: [.authorization: "Bearer \(tokens.accessToken)"])
    return try WireCoding.decoder().decode(OrderMessage.self, from: Data(response.body.readableBytesView))
  }
}
