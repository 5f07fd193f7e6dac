import Foundation
import HTTPTypes
import HummingbirdTesting
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
@testable import StoreWeb

@Suite("Stripe: the pages", .timeLimit(.minutes(5)))
struct StripePageTests {
  struct Visit: Sendable {
    let stripe: StripeServerDouble
    let settings: StripeSettings
    let shop: ShopStore
  }

  static func run(
    _ body: @escaping @Sendable (Visit) async throws -> Void
  ) async throws {
    let clock = ManualClock()
    try await StripeServerDouble.run(now: { clock.now() }) { stripe in
      let settings = try StripeSettings(StripeStore.configuration(stripe, secret: "whsec_x"), in: .sandbox)
      let shop = try await ShopStore(clock: clock, providers: [{ StripePaymentProvider(settings, $0) }])
      try await body(Visit(stripe: stripe, settings: settings, shop: shop))
    }
  }

  /// What Stripe's script does with the card and the secret on a page.
  static func enter(_ visit: Visit, page: HTMLScan) async throws {
    let form = try #require(page.all("form").first { $0["data-stripe"] != nil })
    let kind = form["data-stripe"] == "setup" ? "setup_intents" : "payment_intents"
    let secret = try #require(form["data-secret"])
    let id = secret.split(separator: "_").prefix(2).joined(separator: "_")
    var card = StripeForm.card("4242424242424242")
    card.set("client_secret", to: secret)
    let key = try #require(StripeKey(form["data-key"] ?? ""))
    let client = StripeClient(key: key, address: visit.stripe.address)
    let confirmed: StripeSetupIntent = try await client.post(
      "/v1/\(kind)/\(id)/confirm", form: card, key: StripeIdempotencyKey("page:\(id)"))
    #expect(confirmed.status == .succeeded)
  }

  @Test("SUB-14: a free trial is begun on the page of a card, at 0, with what its button says")
  func trial() async throws {
    try await Self.run { visit in
      try await visit.shop.test { client in
        let tokens = try await visit.shop.login.tokens(client)
        let order = try await visit.shop.order(client, tokens: tokens, product: "plus")
        let browser = try await Browser(client).get(order.path)
        try await browser.submit(order.path, with: ["method": "card_card", "renews": "1"])
        #expect(browser.path == order.path + "/second-step" && browser.html.contains("Start free week"))
        #expect(browser.html.contains("each time \("Plus".isolated) renews") && browser.html.contains("0,00"))
        try await Self.enter(visit, page: browser.page)
        try await browser.submit(browser.path, with: ["answer": "approve"])
        let paid = try await visit.shop.state(client, tokens: tokens, id: order.id)
        #expect(paid.state == .paid && paid.price.amount == 0)
      }
    }
  }

  @Test(
    "the page of a card says what it is saved for: the subscription, later purchases, both, or nothing",
    arguments: [
      (["remember": "1"], "for what you buy later", "renews"), (["renews": "1"], "and for nothing else", "buy later"),
      (["renews": "1", "remember": "1"], "renews, until you end the subscription, and for what you buy later", "else"),
      ([:], "Enter your card", "you allow this store"),
    ] as [([String: String], String, String)])
  func consent(fields: [String: String], words: String, others: String) async throws {
    try await Self.run { visit in
      try await visit.shop.test { client in
        let tokens = try await visit.shop.login.tokens(client)
        let order = try await visit.shop.order(client, tokens: tokens, product: "pro")
        let browser = Browser(client)
        try await visit.shop.login.logIn(browser)
        try await browser.get(order.path)
        let hidden = browser.page.all("input").filter { $0["type"] == "hidden" && $0["name"] != "renews" }
        let sent = hidden.reduce(into: ["method": "card_card"]) { $0[$1["name"] ?? ""] = $1["value"] }
        try await browser.post(order.path, fields: sent.merging(fields) { $1 })
        #expect(browser.path == order.path + "/second-step")
        #expect(browser.html.contains(words) && !browser.html.contains(others))
      }
    }
  }

  @Test("SEC-2: a card is entered in Stripe's fields, on a page that allows these and nothing more")
  func payment() async throws {
    try await Self.run { visit in
      try await visit.shop.test { client in
        let tokens = try await visit.shop.login.tokens(client)
        let order = try await visit.shop.order(client, tokens: tokens)
        let browser = try await Browser(client).get(order.path)
        #expect(browser.html.contains("Debit or credit card") && browser.page.all("script").isEmpty)
        #expect(browser.response?.headers[.contentSecurityPolicy]?.contains("script-src") == false)
        try await browser.submit(order.path, with: ["method": "card_card"])
        #expect(browser.path == order.path + "/second-step" && browser.html.contains("Enter your card"))
        #expect(browser.page.all("input").allSatisfy { $0["type"] == "hidden" })
        let policy = try #require(browser.response?.headers[.contentSecurityPolicy])
        #expect(policy.contains("script-src 'self' https://js.stripe.com;") && policy.contains("default-src 'none'"))
        let scripts = browser.page.all("script").compactMap { $0["src"] }
        #expect(scripts.first == StripeSettings.script && scripts.count == 2)
        try await Self.enter(visit, page: browser.page)
        let step = browser.path
        try await browser.submit(step, with: ["answer": "approve"])
        let state = try await visit.shop.state(client, tokens: tokens, id: order.id).state
        #expect(state == .paid)
        let script = try #require(scripts.last)
        try await browser.get(script)
        #expect(browser.html == StripeCardPage.script.text)
      }
    }
  }

  @Test("A price below Stripe's least is not charged; the page says so, blames no card, and the order stays open")
  func unchargeable() async throws {
    try await Self.run { visit in
      try await visit.shop.sell(coins: 10)
      try await visit.shop.test { client in
        let tokens = try await visit.shop.login.tokens(client)
        let order = try await visit.shop.order(client, tokens: tokens)
        let browser = try await Browser(client).get(order.path)
        try await browser.submit(order.path, with: ["method": "card_card"])
        #expect(browser.status == .conflict && browser.path == order.path)
        #expect(
          browser.html.contains("This price can’t be charged at the moment") && !browser.html.contains("declined"))
        let state = try await visit.shop.state(client, tokens: tokens, id: order.id).state
        #expect(state == .open)
      }
    }
  }

  @Test("whoever says that it is done has paid only if Stripe says so, and may pay another way")
  func notDone() async throws {
    try await Self.run { visit in
      try await visit.shop.test { client in
        let tokens = try await visit.shop.login.tokens(client)
        let order = try await visit.shop.order(client, tokens: tokens)
        let browser = try await Browser(client).get(order.path)
        try await browser.submit(order.path, with: ["method": "card_card"])
        try await browser.submit(browser.path, with: ["answer": "approve"])
        #expect(browser.path == order.path + "/second-step")
        let state = try await visit.shop.state(client, tokens: tokens, id: order.id).state
        #expect(state == .open)
        try await browser.submit(browser.path, with: ["answer": "decline"])
        #expect(browser.path.hasPrefix(order.path) && browser.html.contains("Debit or credit card"))
      }
    }
  }

  @Test("a card is saved without a payment, with the words that its owner agrees to")
  func setup() async throws {
    try await Self.run { visit in
      try await visit.shop.test { client in
        let tokens = try await visit.shop.login.tokens(client)
        let path = try await visit.shop.methodsPage(client, tokens: tokens)
        let page = String(path.prefix { $0 != "?" })
        let browser = Browser(client)
        try await visit.shop.login.logIn(browser)
        try await browser.get(path)
        try await browser.submit(page, with: ["card": "card", "do": "add"])
        #expect(browser.path.hasPrefix(page + "/setup") && browser.html.contains("allow this store to charge"))
        try await Self.enter(visit, page: browser.page)
        try await browser.submit(page + "/setup", with: ["answer": "approve"])
        #expect(browser.path.hasPrefix(page) && browser.html.contains("Visa, ends in 4242"))
        let saved = try await visit.shop.store.core.payments.methods(
          of: visit.shop.store.account(of: tokens).description)
        #expect(saved.map(\.provider) == ["stripe"] && visit.stripe.savedMethods.count == 1)
      }
    }
  }

  @Test("with Stripe's own addresses the policy names Stripe's hosts, and no other")
  func hosts() async throws {
    var configuration = StripeConfiguration()
    configuration.secretKey = ConfigurationSecret("sk_live_1")
    configuration.publishableKey = "pk_live_1"
    configuration.webhookSecret = ConfigurationSecret("whsec_1")
    let settings = try StripeSettings(configuration, in: .production)
    let sources = StripePaymentProvider.sources(settings)
    let script = ["https://js.stripe.com", "https://*.js.stripe.com"]
    #expect(sources.scripts == script && sources.connections == ["https://api.stripe.com"])
    #expect(sources.frames == script + ["https://hooks.stripe.com"] && !sources.inlineStyles)
  }
}
