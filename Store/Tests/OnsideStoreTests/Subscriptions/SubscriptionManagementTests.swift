import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreSales

/// Changes of a subscription on the page of its own.
@Suite("The page of a subscription", .timeLimit(.minutes(5)))
struct SubscriptionManagementTests {
  private static let form = "/account/subscriptions"

  /// A browser whose account has subscribed to a plan of the shop, on the page of the subscription.
  private static func subscribed(
    to plan: String, _ body: @escaping @Sendable (Browser, ShopStore) async throws -> Void
  ) async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await shop.login.logIn(browser)
      try await browser.get("/shop/\(ShopStore.app)")
      try await browser.submit("/buy", with: ["product_id": plan])
      try await pay(browser)
      try await open(browser)
      try await body(browser, shop)
    }
  }

  private static func pay(_ browser: Browser) async throws {
    try await browser.submit(String(browser.path.dropFirst(4)), with: ["method": "card_succeeds"])
    #expect(browser.path.hasPrefix("/receipt/"))
  }

  private static func open(_ browser: Browser) async throws {
    try await browser.get("/account")
    let page = browser.page.all("a").first { $0["href"]?.hasPrefix(form) == true }?["href"]
    try await browser.get(try #require(page).replacing("&amp;", with: "&"))
  }

  private static func listing(_ shop: ShopStore) async throws -> SubscriptionListing {
    let all = try await shop.store.core.dependencies.database.read { try SubscriptionListing.list(2, in: $0) }
    return try #require(all.first)
  }

  @Test("SUB-5: a higher plan is bought from the page, which says what goes back; its form makes one order")
  func higher() async throws {
    try await Self.subscribed(to: "plus") { browser, shop in
      // The week of the trial cost nothing.
      #expect(browser.html.contains("Starts at once.") && browser.html.contains("14,99"))
      let page = browser.html
      try await browser.submit(Self.form, with: ["action": "plan", "plan": "pro"])
      #expect(browser.path.hasPrefix("/pay/") && browser.html.contains("ends when this is paid."))
      let count = try await shop.orderCount()
      let order = try #require(HTMLScan(page).all("input").first { $0["name"] == "order" }?["value"])
      let csrf = try #require(HTMLScan(page).all("input").first { $0["name"] == "csrf" }?["value"])
      let path = browser.path
      try await browser.post(
        Self.form,
        fields: [
          "csrf": csrf, "app": ShopStore.app, "group": "plus", "action": "plan", "plan": "pro", "price": "1499 EUR",
          "order": order,
        ])
      #expect(browser.path == path)
      let orderCount = try await shop.orderCount()
      #expect(orderCount == count, "pressed twice")
      try await Self.pay(browser)
      let product = try await Self.listing(shop).product
      #expect(product == "pro")
    }
  }

  @Test("SUB-6: a lower plan is chosen with its price and date, shown, and taken back")
  func lower() async throws {
    try await Self.subscribed(to: "pro") { browser, shop in
      #expect(browser.html.contains("Until then your present plan goes on"))
      try await browser.submit(Self.form, with: ["action": "plan", "plan": "plus", "price": "1 EUR"])
      #expect(browser.html.contains("The price has changed"))
      let nextProduct = try await Self.listing(shop).nextProduct
      #expect(nextProduct == nil)
      try await browser.submit(Self.form, with: ["action": "plan", "plan": "plus"])
      #expect(browser.html.contains("The change is planned.") && browser.html.contains("Changes to"))
      let secondNextProduct = try await Self.listing(shop).nextProduct
      #expect(secondNextProduct == "plus")
      try await browser.get("/account")
      #expect(browser.html.contains("Changes to"))
      try await Self.open(browser)
      try await browser.submit(Self.form, with: ["action": "plan", "plan": "pro"])
      #expect(browser.html.contains("Your plan stays."))
      let thirdNextProduct = try await Self.listing(shop).nextProduct
      #expect(thirdNextProduct == nil)
    }
  }

  @Test("SUB-7: a pause is planned, taken back, and ended by hand on the page")
  func pause() async throws {
    try await Self.subscribed(to: "pro") { browser, shop in
      let core = shop.store.core
      try await browser.submit(Self.form, with: ["action": "pause", "pause": "2"])
      #expect(browser.html.contains("The pause is planned."))
      let state = try await Self.listing(shop).state
      #expect(state == "pausing")
      try await Self.withoutPlans(browser, ["action": "pause", "pause": "0"])
      #expect(browser.html.contains("It will not be paused."))
      try await Self.withoutPlans(browser, ["action": "pause", "pause": "1"])
      let listing = try await Self.listing(shop)
      #expect(
        try await core.subscriptions.runNextEvent(of: listing.key))
      try await Self.open(browser)
      #expect(browser.html.contains("Paused until") && browser.html.contains("Resume now for"))
      try await browser.submit(Self.form, with: ["action": "pause", "pause": "0"])
      try await core.deliverOutbox()
      try await Self.open(browser)
      let secondState = try await Self.listing(shop).state
      #expect(secondState == "active")
      #expect(browser.html.contains("renews on"))
    }
  }

  /// Sends the form with these fields alone: the first form of the page may be that of a plan, with its price.
  private static func withoutPlans(_ browser: Browser, _ fields: [String: String]) async throws {
    let csrf = try #require(browser.page.all("input").first { $0["name"] == "csrf" }?["value"])
    let place = ["csrf": csrf, "app": ShopStore.app, "group": "plus"]
    try await browser.post(form, fields: place.merging(fields) { $1 })
  }

  /// Makes 24,99 the price of the plan `pro`.
  private static func reprice(_ shop: ShopStore, on terms: RenewalPriceTerms = .init()) async throws {
    let (core, app) = (shop.store.core, ShopStore.app)
    var products = core.catalogue.catalogue(of: app).products
    for index in products.indices where products[index].id == "pro" {
      products[index].prices[.netherlands] = Money(minorUnits: 2499, currency: .eur)
    }
    try await core.catalogue.replace(try Catalogue(products: products), of: app)
    let outcomes = try await core.subscriptions.reprice("pro", of: app, on: terms).counts.map(\.key.outcome)
    #expect(outcomes == [.asked])
  }

  @Test("SUB-8: a price that may be declined without an end is asked about on the page, and declined there")
  func optionalPrice() async throws {
    try await Self.subscribed(to: "pro") { browser, shop in
      try await Self.reprice(shop, on: RenewalPriceTerms(keepsPriceWithoutConsent: true))
      try await Self.open(browser)
      #expect(browser.html.contains("Otherwise you keep paying") && browser.html.contains("24,99"))
      try await Self.withoutPlans(browser, ["action": "price", "agrees": "0", "price": "2499 EUR"])
      #expect(browser.html.contains("You keep your current price.") && browser.html.contains("renews on"))
      let state = try await Self.listing(shop).state
      #expect(state == "active")
    }
  }

  @Test("SUB-8: a price that needs consent is asked about on the page, and agreed to there")
  func price() async throws {
    try await Self.subscribed(to: "pro") { browser, shop in
      try await Self.reprice(shop)
      try await browser.get("/account")
      #expect(browser.html.contains("If you do not agree by then, it ends on"))
      try await Self.open(browser)
      #expect(browser.html.contains("New price") && browser.html.contains("24,99"))
      try await Self.withoutPlans(browser, ["action": "price", "agrees": "1", "price": "1499 EUR"])
      #expect(browser.html.contains("The price has changed"))
      try await Self.withoutPlans(browser, ["action": "price", "agrees": "1", "price": "2499 EUR"])
      #expect(browser.html.contains("You have agreed to the new price.") && browser.html.contains("From "))
      let state = try await Self.listing(shop).state
      #expect(state == "active")
    }
  }

  @Test("SUB-6: the page and its forms are of the account that is logged in, and need the page's own token")
  func ofTheAccount() async throws {
    try await Self.subscribed(to: "pro") { browser, shop in
      let listing = try await Self.listing(shop)
      try await browser.post(
        Self.form, fields: ["app": listing.key.app, "group": listing.key.group, "action": "pause", "pause": "1"])
      #expect(browser.status == .forbidden)
      try await browser.get("/account")
      let csrf = try #require(browser.page.all("input").first { $0["name"] == "csrf" }?["value"])
      for fields in [
        ["action": "plan", "plan": "plus", "price": "999 EUR"], ["action": "pause", "pause": "1"],
        ["action": "renewal", "renewal": "off"], ["action": "price", "agrees": "1"],
      ] {
        let place = ["csrf": csrf, "app": listing.key.app, "group": "another"]
        try await browser.post(Self.form, fields: place.merging(fields) { $1 })
        #expect(browser.path == "/account" || browser.html.contains("The price has changed"))
      }
      let state = try await Self.listing(shop).state
      #expect(state == "active")
      try await browser.get("\(Self.form)?app=\(listing.key.app)&group=another")
      #expect(browser.path == "/account")
      try await browser.get(Self.form)
      #expect(browser.status == .notFound)
    }
  }
}
