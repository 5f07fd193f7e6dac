import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreWeb

/// What a person sees of a subscription: the payment page, and the account page.
@Suite("Pages of subscriptions", .timeLimit(.minutes(5)))
struct SubscriptionPageTests {
  /// Goes to the payment page of a plan, in a browser that is logged in.
  static func checkout(_ browser: Browser, at shop: ShopStore) async throws {
    try await shop.login.logIn(browser)
    try await browser.get("/shop/\(ShopStore.app)")
    try await browser.submit("/buy", with: ["product_id": "pro"])
  }

  /// Goes to the page of the only subscription.
  static func manage(_ browser: Browser) async throws {
    try await browser.get("/account")
    let page = browser.page.all("a").first { $0["href"]?.hasPrefix("/account/subscriptions") == true }?["href"]
    try await browser.get(try #require(page).replacing("&amp;", with: "&"))
  }

  static func subscription(of shop: ShopStore) async throws -> SubscriptionListing {
    let all = try await shop.store.core.dependencies.database.read { try SubscriptionListing.list(2, in: $0) }
    #expect(all.count == 1)
    return try #require(all.first)
  }

  @Test("SUB-1: the payment page says that the plan renews, at which price, and that the method is kept for it")
  func says() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await Self.checkout(browser, at: shop)
      #expect(browser.html.contains("Renews at") && browser.html.contains("14,99"))
      #expect(browser.html.contains("until you switch that off on your account page"))
      try await browser.submit(String(browser.path.dropFirst(4)), with: ["method": "card_succeeds"])
      let state = try await Self.subscription(of: shop).state
      #expect(state == "active")
      let saved = try await shop.store.core.dependencies.database.read {
        try $0.rows("SELECT id FROM payment_methods WHERE is_saved = 1").count
      }
      #expect(saved == 0, "kept for the subscription alone: the box was not ticked")
    }
  }

  @Test("SUB-1: who was not told that the plan renews is charged once")
  func notTold() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await Self.checkout(browser, at: shop)
      let fields = browser.page.all("input").reduce(into: ["method": "card_succeeds"]) { fields, input in
        guard input["type"] == "hidden", let name = input["name"], name != "renews" else { return }
        fields[name] = input["value"]
      }
      try await browser.post(browser.path, fields: fields)
      #expect(browser.path.hasPrefix("/receipt/"))
      let state = try await Self.subscription(of: shop).state
      #expect(state == "ending")
    }
  }

  @Test("SUB-3: the account page says when it renews and what it costs, and switches that off and on again")
  func switches() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await Self.checkout(browser, at: shop)
      try await browser.submit(String(browser.path.dropFirst(4)), with: ["method": "card_succeeds"])
      try await browser.get("/account")
      let end = Texts(.english).day(Period.oneMonth.adding(to: shop.store.clock.now()), in: .netherlands)
      #expect(browser.html.contains("14,99") && browser.html.contains("renews on") && browser.html.contains(end))
      try await Self.manage(browser)
      #expect(browser.html.contains("renews on") && browser.html.contains("Paid until"))
      try await browser.submit("/account/subscriptions", with: ["action": "renewal", "renewal": "off"])
      #expect(browser.html.contains("It will not be renewed.") && browser.html.contains("Ends on"))
      let state = try await Self.subscription(of: shop).state
      #expect(state == "ending")
      try await browser.submit(
        "/account/subscriptions", with: ["action": "renewal", "renewal": "on", "price": "1499 EUR"])
      #expect(browser.html.contains("It will be renewed again."))
      let secondState = try await Self.subscription(of: shop).state
      #expect(secondState == "active")
      try await browser.submit("/account/subscriptions", with: ["action": "renewal", "renewal": "perhaps"])
      #expect(browser.status == .forbidden)
      try await Self.manage(browser)
      try await browser.submit("/account/subscriptions", with: ["action": "end", "renewal": "off"])
      #expect(browser.status == .forbidden)
      try await Self.manage(browser)
      // The subscription is always one of the account that asks.
      try await browser.submit(
        "/account/subscriptions", with: ["action": "renewal", "renewal": "off", "group": "another"])
      let thirdState = try await Self.subscription(of: shop).state
      #expect(thirdState == "active")
    }
  }

  @Test("SUB-17: the page names the payment method, and a saved card that is chosen there pays an unpaid renewal")
  func method() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await Self.checkout(browser, at: shop)
      try await browser.submit(String(browser.path.dropFirst(4)), with: ["method": "card_succeeds"])
      try await Self.manage(browser)
      #expect(browser.html.contains("Visa, ends in 4242") && !browser.html.contains("Use this card"))
      try await shop.makeRenewalFail()
      let account = try await Self.subscription(of: shop).key.account
      let card = try await shop.store.save(.callbackTwice, of: account)
      try await Self.manage(browser)
      #expect(browser.html.contains("Payment failed") && browser.html.contains("with this card"))
      try await browser.submit(
        "/account/subscriptions", with: ["action": "method", "method": card, "price": "1499 EUR"])
      #expect(browser.html.contains("charged to this card from now on"))
      try await shop.store.core.deliverOutbox()
      let state = try await Self.subscription(of: shop).state
      #expect(state == "active")
    }
  }

  @Test("SUB-2: an unpaid period is on the account page, and its page is paid with another card")
  func unpaid() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await Self.checkout(browser, at: shop)
      try await browser.submit(String(browser.path.dropFirst(4)), with: ["method": "card_succeeds"])
      try await shop.makeRenewalFail()
      try await browser.get("/account")
      #expect(browser.html.contains("Payment failed"))
      let page = try #require(browser.page.all("a").first { $0["href"]?.hasPrefix("/pay/") == true }?["href"])
      try await browser.get(page)
      #expect(browser.html.contains("Renews at"))
      try await browser.submit(page, with: ["method": "card_succeeds"])
      #expect(browser.path.hasPrefix("/receipt/"))
      try await browser.get("/account")
      #expect(browser.html.contains("renews on") && !browser.html.contains("Payment failed"))
    }
  }

  @Test(
    "SUB-2: who does not pay an unpaid period now is led from its page to that of the subscription, and may pay later")
  func notNow() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await Self.checkout(browser, at: shop)
      try await browser.submit(String(browser.path.dropFirst(4)), with: ["method": "card_succeeds"])
      try await shop.makeRenewalFail()
      try await Self.manage(browser)
      let page = try #require(browser.page.all("a").first { $0["href"]?.hasPrefix("/pay/") == true }?["href"])
      try await browser.get(page)
      try await browser.submit(page + "/cancel")
      #expect(browser.path.hasPrefix("/account/subscriptions") && browser.html.contains("Payment failed"))
      let stranger = try await Browser(client).get(page)
      try await stranger.submit(page + "/cancel")
      #expect(stranger.path == "/shop/\(ShopStore.app)")
      try await browser.get(page)
      try await browser.submit(page, with: ["method": "card_succeeds"])
      #expect(browser.path.hasPrefix("/receipt/"))
    }
  }
}

extension ShopStore {
  /// Lets the only subscription's card be refused for the next period, and that period begin.
  func makeRenewalFail() async throws {
    let core = store.core
    try await core.dependencies.database.write { try $0.execute("UPDATE payment_methods SET reference = 'declined'") }
    let all = try await core.dependencies.database.read { try SubscriptionListing.list(2, in: $0) }
    let subscription = try #require(all.first)
    for _ in 1...2 {
      #expect(
        try await core.subscriptions.runNextEvent(of: subscription.key))
      try await core.deliverOutbox()
    }
  }
}
