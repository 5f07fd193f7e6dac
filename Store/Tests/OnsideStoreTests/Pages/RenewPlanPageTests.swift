import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales
@testable import StoreWeb

/// The page of an order for a plan that the account has already.
@Suite("Page of the running plan", .timeLimit(.minutes(5)))
struct RenewPlanPageTests {
  /// Subscribes to `pro`, switches its renewal off, and orders it again in the shop.
  private func orderAgain(_ browser: Browser, at shop: ShopStore) async throws {
    try await SubscriptionPageTests.checkout(browser, at: shop)
    try await browser.submit(String(browser.path.dropFirst(4)), with: ["method": "card_succeeds"])
    try await SubscriptionPageTests.manage(browser)
    try await browser.submit("/account/subscriptions", with: ["action": "renewal", "renewal": "off"])
    try await browser.get(try await path(ofNewOrderAt: shop))
  }

  /// Orders `pro` as the app does; the path of the order's page.
  private func path(ofNewOrderAt shop: ShopStore) async throws -> String {
    let core = shop.store.core
    let account = try await core.dependencies.database.read {
      try $0.row("SELECT account_id FROM subscriptions")?.text("account_id")
    }
    let order = try await core.orders.create(
      OrderRequest(productID: "pro", country: .netherlands), id: shop.store.freshID(),
      for: Customer(account: try #require(account), app: ShopStore.app))
    #expect(order.state.stage == .open)
    return "/pay/\(core.orders.json.tokens.token(orderID: order.id))"
  }

  @Test("SUB-23: the page states plan, end, next payment and terms beside one button, and asks for no card")
  func renews() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await orderAgain(browser, at: shop)
      let end = Texts(.english).day(Period.oneMonth.adding(to: shop.store.clock.now()), in: .netherlands)
      #expect(browser.html.contains("Renew your plan") && browser.html.contains("Paid until"))
      #expect(browser.html.contains("Ends on") && browser.html.contains(end) && browser.html.contains("Renew for"))
      #expect(browser.html.contains("The next payment of") && browser.html.contains("Renews at"))
      #expect(!browser.html.contains("name=\"method\""))
      try await browser.submit("/renewal")
      #expect(browser.path.hasPrefix("/receipt/"))
      #expect(browser.html.contains("Already yours") && browser.html.contains("Nothing was charged"))
      #expect(browser.html.contains("renews on") && browser.html.contains(end))
      let state = try await SubscriptionPageTests.subscription(of: shop).state
      #expect(state == "active")
    }
  }

  @Test("SUB-23: its Cancel leaves the renewal off, and the page after it says when the plan ends")
  func cancelled() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await orderAgain(browser, at: shop)
      let page = browser.path
      try await browser.submit("/cancel")
      #expect(browser.html.contains("Already yours") && browser.html.contains("Ends on"))
      let state = try await SubscriptionPageTests.subscription(of: shop).state
      #expect(state == "ending")
      let other = Browser(client)
      try await other.get(page)
      #expect(other.html.contains("Already yours") && !other.html.contains("Ends on"), "only for its account")
    }
  }

  @Test("SUB-23: another price than the page's shows the page again with 409, and changes nothing")
  func repriced() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await orderAgain(browser, at: shop)
      try await browser.submit("/renewal", with: ["price": "1399 EUR"])
      #expect(browser.status == .conflict && browser.html.contains("The price has changed"))
      #expect(browser.html.contains("Renew for"))
      let state = try await SubscriptionPageTests.subscription(of: shop).state
      #expect(state == "ending")
    }
  }

  @Test("SUB-23: without the account's login the page has no price, its button leads to the login, and that leads back")
  func loggedOut() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await orderAgain(browser, at: shop)
      let (page, other) = (browser.path, Browser(client))
      try await other.get(page)
      #expect(other.html.contains("Log in to renew it") && !other.html.contains("14,99"))
      try await other.submit("/renewal", with: ["price": "1499 EUR"])
      #expect(other.path.hasPrefix("/login"))
      let state = try await SubscriptionPageTests.subscription(of: shop).state
      #expect(state == "ending")
      try await other.submit("/cancel")
      #expect(other.path == page && other.html.contains("Log in to renew it"))
    }
  }

  @Test("SUB-23: the page of an order whose plan renews again ends the order")
  func renewedElsewhere() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await orderAgain(browser, at: shop)
      let page = browser.path
      try await SubscriptionPageTests.manage(browser)
      try await browser.submit(
        "/account/subscriptions", with: ["action": "renewal", "renewal": "on", "price": "1499 EUR"])
      try await browser.get(page)
      #expect(browser.html.contains("Already yours") && browser.html.contains("renews on"))
    }
  }
}
