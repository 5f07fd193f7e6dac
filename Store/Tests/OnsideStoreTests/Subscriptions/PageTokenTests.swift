import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales
@testable import StoreWeb

/// The app's token for its user in the addresses of hosted pages.
@Suite("Tokens of hosted pages", .timeLimit(.minutes(5)))
struct PageTokenTests {
  private static let spring = Offer(
    id: "spring", kind: .code, mode: .payUpFront, period: .oneMonth, periodCount: 1,
    prices: [.netherlands: Money(minorUnits: 499, currency: .eur)])
  private static let back = Offer(
    id: "back", kind: .winBack, mode: .payUpFront, period: .oneMonth, periodCount: 1,
    prices: [.netherlands: Money(minorUnits: 399, currency: .eur)],
    winBack: WinBackRule(paidMonths: 1, lapsedFrom: 0, lapsedTo: 24, waitMonths: 6))

  /// A shop with offers for the plan "pro", and a browser that is logged in.
  private func open(
    _ body: @escaping @Sendable (ShopStore, any TestClientProtocol, TokenMessage, Browser) async throws -> Void
  ) async throws {
    let shop = try await ShopStore()
    let core = shop.store.core
    let products = core.catalogue.catalogue(of: ShopStore.app).products.map { product in
      var product = product
      if product.id == "pro" { product.subscription?.offers = [Self.spring, Self.back] }
      return product
    }
    try await core.catalogue.replace(try Catalogue(products: products), of: ShopStore.app)
    try await shop.test { client in
      let browser = Browser(client)
      let tokens = try await shop.login.tokens(client)
      try await shop.login.logIn(browser)
      try await body(shop, client, tokens, browser)
    }
  }

  private static func ask(
    _ route: Route, token: String?, _ client: any TestClientProtocol, _ tokens: TokenMessage
  ) async throws -> TestResponse {
    let body = try WireCoding.encoder().encode(HostedPageRequest(appAccountToken: token))
    return try await client.execute(
      uri: route.path, method: .post,
      headers: [.authorization: "Bearer \(tokens.accessToken)", .contentType: "application/json"],
      body: ByteBuffer(bytes: body)
    ) { $0 }
  }

  /// The address of a page that an app opens with a token, and its query without the way back.
  private static func page(
    _ route: Route, token: String?, _ client: any TestClientProtocol, _ tokens: TokenMessage
  ) async throws -> String {
    let response = try await ask(route, token: token, client, tokens)
    #expect(response.status == .created)
    let page = try response.message(HostedPageMessage.self)
    return "\(page.url.path)?\(page.url.query ?? "")"
      .appendingQuery([("return_uri", LoginStore.redirect), ("state", "secret"), ("ui_locales", "en")])
  }

  /// Types the code "SPRING26" on the page, and makes its order.
  private static func redeem(in browser: Browser) async throws {
    let hidden = browser.page.all("input").compactMap { input in
      input["type"] == "hidden" ? (input["name"] ?? "", (input["value"] ?? "").replacing("&amp;", with: "&")) : nil
    }
    try await browser.get("/redeem".appendingQuery(hidden + [("code", "SPRING26")]))
    try await browser.submit("/redeem")
  }

  /// The tokens of all orders, the oldest first; "-" for none.
  private static func orderTokens(_ shop: ShopStore) async throws -> [String] {
    try await shop.store.core.dependencies.database.read {
      try $0.rows("SELECT app_account_token FROM orders ORDER BY id").map {
        try $0.optionalText("app_account_token") ?? "-"
      }
    }
  }

  private static func makeCode(_ shop: ShopStore) async throws {
    _ = try await shop.store.core.offerCodes.createCustom(
      "SPRING26", limit: 9, product: "pro", offer: "spring", of: ShopStore.app, expiresAt: nil)
  }

  @Test(
    "SUB-11: a code that is redeemed on the app's page carries the token that the app has given, byte for byte",
    arguments: [nil, "user-4711", String(repeating: "é", count: 256)])
  func code(token: String?) async throws {
    try await open { shop, client, tokens, browser in
      try await Self.makeCode(shop)
      let page = try await Self.page(.redemptionSession, token: token, client, tokens)
      #expect(token.map { !page.contains($0) && !page.contains(Base64URL.encode(Array($0.utf8))) } ?? true)
      try await browser.get(page)
      try await Self.redeem(in: browser)
      #expect(browser.path.hasPrefix("/pay/"))
      let orders = try await Self.orderTokens(shop)
      #expect(orders == [token ?? "-"])
    }
  }

  @Test("SUB-11: the token of a page lasts over a login on the way")
  func login() async throws {
    try await open { shop, client, tokens, _ in
      try await Self.makeCode(shop)
      let token = String(repeating: "é", count: 256)
      let stranger = Browser(client)
      try await stranger.get(try await Self.page(.redemptionSession, token: token, client, tokens))
      try await stranger.submit(
        stranger.path.split(separator: "?")[0].split(separator: "/").last.map(String.init) ?? "",
        with: ["phone": "+31612345689"])
      try await stranger.submit("/code", with: ["code": try await shop.login.code("+31612345689")])
      #expect(stranger.path.hasPrefix("/redeem?"))
      try await Self.redeem(in: stranger)
      let orders = try await Self.orderTokens(shop)
      #expect(orders == [token])
    }
  }

  @Test("SEC-2: the token of one account's page is refused in the address of another account's page")
  func foreign() async throws {
    try await open { shop, client, tokens, browser in
      try await Self.makeCode(shop)
      let page = try await Self.page(.redemptionSession, token: "user-1", client, tokens)
      let buyer = try #require(
        URLComponents(string: page)?.queryItems?.first { $0.name == PageReturn.buyerField }?.value)
      let other = Browser(client)
      try await shop.login.logIn(other, phone: "+31612345690")
      let fields = [("app", ShopStore.app), ("return_uri", LoginStore.redirect), ("code", "SPRING26")]
      try await other.get("/redeem".appendingQuery(fields + [("buyer", buyer)]))
      try await other.submit("/redeem")
      #expect(other.status == .forbidden)
      let refused = try await Self.orderTokens(shop)
      #expect(refused == [])
      try await other.get("/redeem".appendingQuery(fields))
      try await other.submit("/redeem")
      let orders = try await Self.orderTokens(shop)
      #expect(orders == ["-"])
    }
  }

  @Test("The address of a page does not show the account's id to the app")
  func hiddenAccount() async throws {
    try await open { shop, client, tokens, _ in
      let account = shop.store.account(of: tokens)
      for route in [Route.redemptionSession, .subscriptionsSession] {
        let page = try await Self.page(route, token: nil, client, tokens)
        let secret = try #require(URL(string: page)).lastPathComponent
        let bytes = try #require(Base64URL.decode(secret))
        let id = withUnsafeBytes(of: account.uuid.uuid) { Array($0) }
        #expect(!bytes.indices.contains { bytes[$0...].starts(with: id) })
        #expect(!page.contains(account.description))
      }
    }
  }

  @Test("QUE-18: a page is not opened with a token over 512 bytes or with U+0000")
  func refused() async throws {
    try await open { _, client, tokens, _ in
      for route in [Route.redemptionSession, .subscriptionsSession] {
        let long = try await Self.ask(route, token: String(repeating: "a", count: 513), client, tokens)
        #expect(long.status == .unprocessableContent)
        let null = try await Self.ask(route, token: "a\u{0}b", client, tokens)
        #expect(null.status == .badRequest)
      }
    }
  }

  /// Subscribes in the app, with a token, and pays in a browser.
  private static func subscribe(
    to plan: String, token: String, at shop: ShopStore, _ client: any TestClientProtocol, _ tokens: TokenMessage,
    _ browser: Browser
  ) async throws {
    let id = OrderID(shop.store.core.dependencies.random.uuid7(at: shop.store.clock.now()))
    let request = OrderRequest(productID: plan, country: tokens.country, appAccountToken: token)
    let response = try await client.execute(
      uri: Route.createOrder.path, method: .post,
      headers: [
        .authorization: "Bearer \(tokens.accessToken)", .contentType: "application/json",
        .idempotencyKey: id.description,
      ], body: ByteBuffer(bytes: try WireCoding.encoder().encode(request))
    ) { $0 }
    let payment = try #require(try response.message(OrderMessage.self).paymentURL).path
    try await browser.get(payment)
    try await browser.submit(String(payment.dropFirst(4)), with: ["method": "card_succeeds"])
  }

  @Test("SUB-10: who subscribes again on the app's page has the page's token, not that of the expired subscription")
  func again() async throws {
    try await open { shop, client, tokens, browser in
      try await Self.subscribe(to: "pro", token: "user-1", at: shop, client, tokens, browser)
      try await browser.get("/account/subscriptions?app=\(ShopStore.app)&group=plus")
      try await browser.submit("/account/subscriptions", with: ["action": "renewal", "renewal": "off"])
      shop.store.advance(by: .seconds(32 * 86_400))
      try await shop.store.core.subscriptions.passTime()
      let later = try await shop.login.tokens(client)
      try await shop.login.logIn(browser)
      try await browser.get(try await Self.page(.subscriptionsSession, token: "user-2", client, later))
      try await browser.submit("/account/subscriptions", with: ["plan": "pro"])
      #expect(browser.path.hasPrefix("/pay/"))
      let orders = try await Self.orderTokens(shop)
      #expect(orders == ["user-1", "user-2"])
    }
  }

  @Test("SUB-5: a change of plan keeps the token of the active subscription", arguments: [true, false])
  func change(isShop: Bool) async throws {
    try await open { shop, client, tokens, browser in
      try await Self.subscribe(to: "plus", token: "user-1", at: shop, client, tokens, browser)
      if isShop {
        try await browser.get("/shop/\(ShopStore.app)")
        try await browser.submit("/buy", with: ["product_id": "pro"])
      } else {
        try await browser.get(try await Self.page(.subscriptionsSession, token: "user-2", client, tokens))
        try await browser.submit("/account/subscriptions", with: ["action": "plan", "plan": "pro"])
      }
      #expect(browser.path.hasPrefix("/pay/"))
      let orders = try await Self.orderTokens(shop)
      #expect(orders == ["user-1", "user-1"])
    }
  }

  @Test("QUE-18: a purchase in the store's own shop has no token")
  func shopPurchase() async throws {
    try await open { shop, _, _, browser in
      try await browser.get("/shop/\(ShopStore.app)")
      try await browser.submit("/buy", with: ["product_id": "coins"])
      let orders = try await Self.orderTokens(shop)
      #expect(orders == ["-"])
    }
  }
}
