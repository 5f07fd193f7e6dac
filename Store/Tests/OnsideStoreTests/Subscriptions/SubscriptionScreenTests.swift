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

/// The screen of the subscriptions that an app opens for its user.
@Suite("The screen of the subscriptions", .timeLimit(.minutes(5)))
struct SubscriptionScreenTests {
  private static let phone = "+31612345689"

  /// The address of the screen, as an app opens it.
  private static func screen(
    _ client: any TestClientProtocol, tokens: TokenMessage, group: String? = nil, redirect: String? = nil
  ) async throws -> String {
    let response = try await client.execute(
      uri: Route.subscriptionsSession.path, method: .post, headers: [.authorization: "Bearer \(tokens.accessToken)"])
    #expect(response.status == .created)
    let page = try WireCoding.decoder().decode(HostedPageMessage.self, from: Data(response.body.readableBytesView))
    let group = group.map { [("group", $0)] } ?? []
    let fields = group + [("return_uri", redirect ?? LoginStore.redirect), ("state", "secret"), ("ui_locales", "en")]
    return "\(page.url.path)?\(page.url.query ?? "")".appendingQuery(fields)
  }

  /// Buys the monthly plan in a browser that is logged in.
  private static func subscribe(
    _ browser: Browser, at shop: ShopStore, _ client: any TestClientProtocol
  ) async throws -> TokenMessage {
    let tokens = try await shop.login.tokens(client)
    try await shop.login.logIn(browser)
    try await browser.get("/shop/\(ShopStore.app)")
    try await browser.submit("/buy", with: ["product_id": "pro"])
    try await browser.submit(String(browser.path.dropFirst(4)), with: ["method": "card_succeeds"])
    return tokens
  }

  private static func backLink(_ browser: Browser) -> String? {
    browser.page.all("a").compactMap { $0["href"]?.replacing("&amp;", with: "&") }
      .first { $0.hasPrefix(LoginStore.redirect) }
  }

  /// The screen's address to which a login that a browser has just begun leads back.
  private static func wayBack(at shop: ShopStore) async throws -> String {
    let newest = try await shop.store.core.dependencies.database.read { connection in
      try connection.row(
        "SELECT next_path FROM login_attempts WHERE next_path IS NOT NULL ORDER BY expires_at DESC LIMIT 1", [])
    }
    return try #require(try newest?.optionalText("next_path"))
  }

  @Test("SUB-3: the app's screen shows its only subscription; every step of it leads back to the app")
  func only() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      let tokens = try await Self.subscribe(browser, at: shop, client)
      try await browser.get(try await Self.screen(client, tokens: tokens))
      #expect(browser.path.hasPrefix("/account/subscriptions") && browser.html.contains("renews on"))
      #expect(Self.backLink(browser)?.contains("state=secret") == true)
      try await browser.submit("/account/subscriptions", with: ["action": "renewal", "renewal": "off"])
      #expect(browser.html.contains("It will not be renewed."))
      #expect(Self.backLink(browser)?.contains("state=secret") == true)
    }
  }

  @Test("SUB-3: who ends an unpaid subscription on the app's screen gets a page that leads back to the app")
  func ended() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      let tokens = try await Self.subscribe(browser, at: shop, client)
      try await shop.makeRenewalFail()
      try await browser.get(try await Self.screen(client, tokens: tokens))
      #expect(browser.html.contains("End now"))
      let policy = browser.response?.headers[.contentSecurityPolicy] ?? ""
      #expect(policy.contains("form-action 'self' \(LoginStore.redirect.prefix { $0 != ":" }):"), "\(policy)")
      try await browser.submit("/account/subscriptions", with: ["action": "renewal", "renewal": "off"])
      #expect(browser.html.contains("There is no subscription in this app."))
      #expect(Self.backLink(browser)?.contains("state=secret") == true)
    }
  }

  @Test("Without a subscription in the app or the group it says so, and leads back to the app")
  func none() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      let tokens = try await Self.subscribe(browser, at: shop, client)
      try await browser.get(try await Self.screen(client, tokens: tokens, group: "another"))
      #expect(browser.status == .ok && browser.html.contains("There is no subscription in this app."))
      #expect(Self.backLink(browser) != nil)
    }
  }

  @Test("ACC-5: a browser without the account's login gets the login, and then the screen with its way back")
  func stranger() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await Self.subscribe(Browser(client), at: shop, client)
      let address = try await Self.screen(client, tokens: tokens, group: "another")
      let stranger = Browser(client)
      try await stranger.get(address)
      #expect(stranger.path.hasPrefix("/login/") && !stranger.html.contains("renews on"))
      try await stranger.submit(
        stranger.path.split(separator: "?")[0].split(separator: "/").last.map(String.init) ?? "",
        with: ["phone": Self.phone])
      try await stranger.submit("/code", with: ["code": try await shop.login.code(Self.phone)])
      #expect(stranger.html.contains("There is no subscription in this app."))
      #expect(Self.backLink(stranger)?.contains("state=secret") == true)
    }
  }

  @Test("ACC-5: a login that takes longer than the address is good for ends on the screen", arguments: [true, false])
  func slowLogin(isMethods: Bool) async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await Self.subscribe(Browser(client), at: shop, client)
      let slow = Browser(client)
      try await slow.get(
        isMethods
          ? try await shop.methodsPage(client, tokens: tokens)
          : try await Self.screen(client, tokens: tokens, group: "another"))
      shop.store.advance(by: .seconds(LoginAttempt.lifetime - 60))
      try await slow.submit(
        slow.path.split(separator: "?")[0].split(separator: "/").last.map(String.init) ?? "",
        with: ["phone": Self.phone])
      try await slow.submit("/code", with: ["code": try await shop.login.code(Self.phone)])
      #expect(slow.status == .ok && slow.path.hasPrefix(isMethods ? "/methods/" : "/subscriptions/"))
    }
  }

  @Test(
    "ACC-5: visits that lead to a login renew an address for a day, and no longer", arguments: [true, false])
  func lastEnd(isMethods: Bool) async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await Self.subscribe(Browser(client), at: shop, client)
      var path =
        isMethods
        ? try await shop.methodsPage(client, tokens: tokens)
        : try await Self.screen(client, tokens: tokens, group: "another")
      let (made, visits) = (shop.store.clock.now(), Int(HostedPageToken.longestLifetime / 600))
      for _ in 1..<visits {
        let stranger = Browser(client)
        try await stranger.get(path)
        #expect(stranger.path.hasPrefix("/login/"))
        path = try await Self.wayBack(at: shop)
        shop.store.advance(by: .seconds(600))
      }
      #expect(shop.store.clock.now() < made + HostedPageToken.longestLifetime)
      shop.store.advance(by: .seconds(600))
      let late = Browser(client)
      try await late.get(path)
      #expect(late.status == .gone)
    }
  }

  @Test("ACC-5: an address of a screen that is over leads back to its app, and to no other")
  func over() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      let tokens = try await Self.subscribe(browser, at: shop, client)
      let (screen, evil) = (
        try await Self.screen(client, tokens: tokens),
        try await Self.screen(client, tokens: tokens, redirect: "https://evil.example/")
      )
      let methods = try await shop.methodsPage(client, tokens: tokens).appendingQuery([("state", "secret")])
      shop.store.advance(by: .seconds(HostedPageToken.lifetime))
      for address in [screen, methods] {
        try await browser.get(address)
        #expect(browser.status == .gone && Self.backLink(browser)?.contains("state=secret") == true)
      }
      try await browser.get(evil)
      #expect(browser.status == .badRequest && Self.backLink(browser) == nil)
    }
  }

  @Test("SEC-2: an address that the store has not made, an old one, and a way back that is not the app's are refused")
  func refused() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      let tokens = try await Self.subscribe(browser, at: shop, client)
      try await browser.get(
        "/account/subscriptions?app=\(ShopStore.app)&group=plans&return_uri=https%3A%2F%2Fevil.example")
      #expect(browser.status == .badRequest)
      try await browser.expectRefusals(of: "/subscriptions", at: shop) {
        try await Self.screen(client, tokens: tokens, redirect: $0)
      }
    }
  }
}
