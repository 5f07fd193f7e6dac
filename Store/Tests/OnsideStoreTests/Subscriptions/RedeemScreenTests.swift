import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreSales
@testable import StoreWeb

/// The screen for codes that an app opens for its user.
@Suite("The screen for codes", .timeLimit(.minutes(5)))
struct RedeemScreenTests {
  private static let phone = "+31612345689"

  /// A shop whose monthly plan has an offer of codes, and a browser that is logged in.
  private func open(
    _ body: @escaping @Sendable (ShopStore, any TestClientProtocol, TokenMessage, Browser) async throws -> Void
  ) async throws {
    let shop = try await ShopStore()
    try await Self.sell(months: 1, at: shop)
    try await shop.test { client in
      let browser = Browser(client)
      let tokens = try await shop.login.tokens(client)
      try await shop.login.logIn(browser)
      try await body(shop, client, tokens, browser)
    }
  }

  private static func sell(months: Int, at shop: ShopStore) async throws {
    let offer = Offer(
      id: "spring", kind: .code, mode: .payUpFront, period: .oneMonth, periodCount: months,
      prices: [.netherlands: Money(minorUnits: 499, currency: .eur)], customers: [.new])
    let core = shop.store.core
    let products = core.catalogue.catalogue(of: ShopStore.app).products.map { product in
      var product = product
      if product.id == "pro" { product.subscription?.offers = [offer] }
      return product
    }
    try await core.catalogue.replace(try Catalogue(products: products), of: ShopStore.app)
  }

  private static func code(_ name: String = "SPRING26", limit: Int64 = 9, at shop: ShopStore) async throws -> String {
    try await shop.store.core.offerCodes.createCustom(
      name, limit: limit, product: "pro", offer: "spring", of: ShopStore.app, expiresAt: nil
    ).text
  }

  /// The address of the screen, as an app opens it.
  private static func screen(
    _ client: any TestClientProtocol, tokens: TokenMessage, redirect: String? = nil
  ) async throws -> String {
    let response = try await client.execute(
      uri: Route.redemptionSession.path, method: .post, headers: [.authorization: "Bearer \(tokens.accessToken)"])
    #expect(response.status == .created)
    let page = try WireCoding.decoder().decode(HostedPageMessage.self, from: Data(response.body.readableBytesView))
    let fields = [("return_uri", redirect ?? LoginStore.redirect), ("state", "secret"), ("ui_locales", "en")]
    return "\(page.url.path)?\(page.url.query ?? "")".appendingQuery(fields)
  }

  /// Types a code on the page, and sends it.
  private static func enter(_ code: String, in browser: Browser) async throws {
    let hidden = browser.page.all("input").compactMap { input in
      input["type"] == "hidden" ? (input["name"] ?? "", (input["value"] ?? "").replacing("&amp;", with: "&")) : nil
    }
    try await browser.get("/redeem".appendingQuery(hidden + [("code", code)]))
  }

  private static func leadsBack(_ browser: Browser) -> Bool {
    browser.page.all("a").contains { $0["href"] == "\(LoginStore.redirect)?state=secret" }
  }

  @Test("SUB-11: the app's screen leads from a wrong code to the right one, to the payment and back into the app")
  func walk() async throws {
    try await open { shop, client, tokens, browser in
      let code = try await Self.code(at: shop)
      try await browser.get(try await Self.screen(client, tokens: tokens))
      #expect(browser.path.hasPrefix("/redeem?") && Self.leadsBack(browser))
      try await Self.enter("WRONG-ONE", in: browser)
      #expect(browser.status == .unprocessableContent && Self.leadsBack(browser))
      try await Self.enter(code, in: browser)
      #expect(browser.html.contains("4,99") && browser.html.contains("14,99") && Self.leadsBack(browser))
      let policy = browser.response?.headers[.contentSecurityPolicy] ?? ""
      #expect(policy.contains("form-action 'self' \(LoginStore.redirect.prefix { $0 != ":" }):"), "\(policy)")
      try await browser.submit("/redeem")
      #expect(browser.path.hasPrefix("/pay/") && browser.path.contains("state=secret"))
      let payment = browser.path
      try await browser.submit(
        String(payment.dropFirst(4).prefix { $0 != "?" }), with: ["method": "card_succeeds"])
      #expect(browser.leftFor?.hasPrefix(LoginStore.redirect) == true)
      #expect(browser.answer["outcome"] == "paid" && browser.answer["state"] == "secret")
      try await browser.get(try await Self.screen(client, tokens: tokens))
      try await Self.enter(code, in: browser)
      #expect(browser.html.contains("You have used this code already.") && Self.leadsBack(browser))
      let other = try await Self.code("SUMMER26", at: shop)
      try await Self.enter(other, in: browser)
      #expect(browser.html.contains("This offer is not for your account.") && Self.leadsBack(browser))
    }
  }

  @Test("SUB-11: who cancels at the payment is back in the app, and the code can be used again")
  func cancelled() async throws {
    try await open { shop, client, tokens, browser in
      let code = try await Self.code(limit: 1, at: shop)
      for _ in 0..<2 {
        try await browser.get(try await Self.screen(client, tokens: tokens))
        try await Self.enter(code, in: browser)
        try await browser.submit("/redeem")
        try await browser.submit("/cancel")
        #expect(browser.answer["outcome"] == "cancelled" && browser.answer["state"] == "secret")
      }
    }
  }

  @Test("SUB-11: a code that is used up, one of another app, and too many wrong ones leave a way back into the app")
  func refusals() async throws {
    try await open { shop, client, tokens, browser in
      let code = try await Self.code(limit: 1, at: shop)
      let stranger = Browser(client)
      try await shop.login.logIn(stranger, phone: "+31612345690")
      try await stranger.get("/redeem?code=\(code)")
      try await stranger.submit("/redeem")
      try await browser.get(try await Self.screen(client, tokens: tokens))
      try await Self.enter(code, in: browser)
      #expect(browser.html.contains("This code has been used already.") && Self.leadsBack(browser))
      let catalogue = shop.store.core.catalogue.catalogue(of: ShopStore.app)
      try await shop.store.core.catalogue.replace(catalogue, of: "io.example.tideline")
      let tideline = try await shop.store.core.offerCodes.createCustom(
        "TIDES", limit: 9, product: "pro", offer: "spring", of: "io.example.tideline", expiresAt: nil)
      try await Self.enter(tideline.text, in: browser)
      #expect(browser.status == .unprocessableContent && Self.leadsBack(browser))
      #expect(browser.html.contains("This code is for another app: \("Tideline".isolated)."))
      for _ in 0...OfferCodeTryRecords.perAccount { try await Self.enter("NO-SUCH-CODE", in: browser) }
      #expect(browser.status == .tooManyRequests && browser.response?.headers[.retryAfter] == "3600")
      #expect(browser.html.contains("Too many wrong codes were entered.") && Self.leadsBack(browser))
    }
  }

  @Test("ACC-5: a browser of another account gets the login; cancelled, it leads back, and otherwise to the screen")
  func stranger() async throws {
    try await open { shop, client, tokens, _ in
      let browser = Browser(client)
      try await shop.login.logIn(browser, phone: "+31612345690")
      try await browser.get(try await Self.screen(client, tokens: tokens))
      #expect(browser.path.hasPrefix("/login/"))
      let policy = browser.response?.headers[.contentSecurityPolicy] ?? ""
      #expect(policy.contains("\(LoginStore.redirect.prefix { $0 != ":" }):"), "\(policy)")
      let login = browser.path
      try await browser.submit("/cancel")
      #expect(browser.leftFor == "\(LoginStore.redirect)?state=secret")
      try await browser.get(try await Self.screen(client, tokens: tokens))
      #expect(browser.path != login)
      try await browser.submit(
        browser.path.split(separator: "?")[0].split(separator: "/").last.map(String.init) ?? "",
        with: ["phone": Self.phone])
      try await browser.submit("/code", with: ["code": try await shop.login.code(Self.phone)])
      #expect(browser.path.hasPrefix("/redeem?") && Self.leadsBack(browser))
    }
  }

  @Test("SUB-11: who logs in as somebody else on the way is asked for the account that the screen was opened for")
  func anotherMeanwhile() async throws {
    try await open { shop, client, tokens, browser in
      let code = try await Self.code(at: shop)
      try await browser.get(try await Self.screen(client, tokens: tokens))
      let other = Browser(client)
      try await shop.login.logIn(other, phone: "+31612345690")
      browser.cookies = other.cookies
      try await Self.enter(code, in: browser)
      #expect(browser.path.hasPrefix("/login/") && !browser.html.contains("4,99"))
    }
  }

  @Test("SUB-11: who has logged out on the way logs in again, and is where they were")
  func loggedOut() async throws {
    try await open { shop, client, tokens, browser in
      let code = try await Self.code(at: shop)
      try await browser.get(try await Self.screen(client, tokens: tokens))
      browser.cookies = browser.cookies.filter { !$0.key.contains("session") }
      try await Self.enter(code, in: browser)
      #expect(browser.path.hasPrefix("/login/"))
      try await browser.submit(
        browser.path.split(separator: "?")[0].split(separator: "/").last.map(String.init) ?? "",
        with: ["phone": Self.phone])
      try await browser.submit("/code", with: ["code": try await shop.login.code(Self.phone)])
      #expect(browser.html.contains("4,99") && Self.leadsBack(browser))
    }
  }

  @Test("SEC-2: an address that the store has not made, an old one, and a way back that is not the app's are refused")
  func refused() async throws {
    try await open { shop, client, tokens, browser in
      for query in ["app=\(ShopStore.app)&return_uri=https%3A%2F%2Fevil.example", "return_uri=lumen%3A%2F%2Fonside"] {
        try await browser.get("/redeem?\(query)")
        #expect(browser.status == .badRequest)
      }
      try await browser.expectRefusals(of: "/redeem", at: shop) {
        try await Self.screen(client, tokens: tokens, redirect: $0)
      }
    }
  }

  @Test("SUB-11: an order that waits is shown with the offer that it was made with, whatever the catalogue has now")
  func laterOffer() async throws {
    try await open { shop, _, _, browser in
      let code = try await Self.code(at: shop)
      try await browser.get("/redeem?code=\(code)")
      #expect(browser.html.contains("for 1 month"))
      try await browser.submit("/redeem")
      try await Self.sell(months: 3, at: shop)
      try await browser.get("/redeem?code=\(code)")
      #expect(browser.html.contains("for 1 month") && !browser.html.contains("for 3 months"))
    }
  }

  @Test("ACC-5: a login for the page of payment methods that is cancelled leads back into the app")
  func methodsCancelled() async throws {
    try await open { shop, client, tokens, _ in
      let browser = Browser(client)
      try await browser.get(try await shop.methodsPage(client, tokens: tokens))
      #expect(browser.path.hasPrefix("/login/"))
      try await browser.submit("/cancel")
      #expect(browser.leftFor == LoginStore.redirect)
    }
  }
}
