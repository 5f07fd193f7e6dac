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

@Suite("Buying in the store's own shop", .timeLimit(.minutes(5)))
struct ShopPageTests {
  private static let path = "/shop/\(ShopStore.app)"

  /// Buys a product in a logged-in browser, and pays if the shop leads to a payment page.
  private static func buy(_ product: String, in browser: Browser) async throws {
    try await browser.get(path)
    try await browser.submit("/buy", with: ["product_id": product])
    guard browser.path.hasPrefix("/pay/") else { return }
    try await browser.submit(String(browser.path.dropFirst(4)), with: ["method": "card_succeeds"])
  }

  /// Goes through the login that a page has asked for.
  private static func logIn(_ browser: Browser, at shop: ShopStore) async throws {
    try await browser.submit(shop.login.attempt(browser), with: ["phone": "+31612345689"])
    try await browser.submit("/code", with: ["code": try await shop.login.code("+31612345689")])
    if browser.path.hasSuffix("/region") { try await browser.submit("/region", with: ["country": "NL"]) }
  }

  /// The card of a product on the page.
  private static func card(_ product: String, in browser: Browser) throws -> (text: String, isForSale: Bool) {
    let scan = browser.page
    let heading = try #require(scan.element(id: "product-\(product)"))
    let card = try #require(heading.parents.last)
    let isForSale = scan.elements.contains { $0.name == "button" && $0.parents.contains(card) }
    return (scan.elements[card].text, isForSale)
  }

  @Test("A visitor who is not logged in chooses a product, logs in, and gets the payment page of that product")
  func goesOn() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = try await Browser(client).get(Self.path)
      try await browser.submit("/buy", with: ["product_id": "themes"])
      #expect(browser.path.hasPrefix("/login/"))
      try await Self.logIn(browser, at: shop)
      #expect(browser.path.hasPrefix("/pay/") && browser.html.contains("Themes"))
      try await browser.submit(String(browser.path.dropFirst(4)), with: ["method": "card_succeeds"])
      #expect(browser.html.contains("Thank you") && browser.html.contains(LoginStore.redirect))
      try await browser.get("/account")
      #expect(browser.html.contains("Themes") && browser.html.contains("Paid"))
    }
  }

  @Test("A price that was shown for another region is shown again at the account's, which the page says")
  func otherRegion() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = try await Browser(client).get(Self.path + "?country=DE")
      #expect(browser.html.contains("1,09"))
      try await browser.submit("/buy", with: ["product_id": "coins"])
      try await Self.logIn(browser, at: shop)
      #expect(browser.path.hasPrefix(Self.path) && browser.html.contains("0,99"))
      #expect(browser.html.contains("Your account’s region is Netherlands."))
    }
  }

  @Test("SEC-3: the address that goes on after the login buys in no other browser, and nothing but what was chosen")
  func foreignWish() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let mine = try await Browser(client).get(Self.path)
      try await mine.submit("/buy", with: ["product_id": "coins"])
      let login = String(mine.path.split(separator: "/")[1])
      let attempt = try await shop.login.logins.database.read { try LoginRecords.attempt(id: login, in: $0) }
      guard case .web(let next) = try #require(attempt).purpose else {
        Issue.record("expected a login of the store's own pages")
        return
      }
      let theirs = Browser(client)
      try await shop.login.logIn(theirs, phone: "+31612345680")
      try await theirs.get(next)
      #expect(theirs.path == Self.path)
      // Logs in on another page, so that the address is still unused.
      try await shop.login.logIn(mine)
      try await mine.get(next.replacing("coins", with: "themes"))
      #expect(mine.path == Self.path)
      let orderCount = try await shop.orderCount()
      #expect(orderCount == 0)
      // Opening the address twice makes one order.
      for _ in 0..<2 {
        try await mine.get(next)
        #expect(mine.path.hasPrefix("/pay/"))
      }
      let secondOrderCount = try await shop.orderCount()
      #expect(secondOrderCount == 1)
    }
  }

  @Test("What is owned says so in the shop, with its receipt, and has no button")
  func owned() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await shop.login.logIn(browser)
      for product in ["themes", "coins"] { try await Self.buy(product, in: browser) }
      try await browser.get(Self.path)
      let themes = try Self.card("themes", in: browser)
      #expect(!themes.isForSale && themes.text.contains("Owned"))
      let receipt = try #require(browser.page.all("a").first { $0["href"]?.hasPrefix("/receipt/") == true }?["href"])
      let coins = try Self.card("coins", in: browser)
      #expect(coins.isForSale && !coins.text.contains("Owned"))
      try await browser.get(receipt)
      #expect(browser.html.contains("Thank you") && browser.html.contains("Themes"))
    }
  }

  @Test("QUE-10: an order for what is owned already has a page of its own: no amount, no thanks, the first receipt")
  func alreadyYours() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await shop.login.logIn(browser)
      for _ in 1...2 { try await Self.buy("themes", in: browser) }
      #expect(browser.path.hasPrefix("/receipt/") && browser.page.all("h1").first?.text == "Already yours")
      let main = try #require(browser.page.all("main").first)
      #expect(!main.text.contains("4,99") && !main.text.contains("Thank you"))
      let page = browser.path
      let receipt = try #require(browser.page.all("a").first { $0["href"]?.hasPrefix("/receipt/") == true }?["href"])
      try await browser.get(receipt)
      #expect(browser.path != page && browser.page.all("h1").first?.text == "Thank you")
      // After a refund the page says that instead.
      let token = try #require(receipt.split(separator: "/").last.map(String.init))
      let id = try #require(shop.store.core.orders.json.tokens.orderID(token))
      try await shop.store.core.orders.refund(id, because: .support)
      try await browser.get(page)
      #expect(browser.path == receipt && browser.html.contains("has been refunded"))
    }
  }

  @Test(
    "A trial says what it costs afterwards, and when it ends; its button names it, in the shop and on the payment page")
  func trial() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await shop.login.logIn(browser)
      try await browser.get(Self.path)
      #expect(browser.page.all("button").contains { $0.text == "Start free week" })
      try await browser.submit("/buy", with: ["product_id": "plus"])
      for text in ["1 week free, then", "per month", "Renews at", "until you switch that off"] {
        #expect(browser.html.contains(text), "\(text)")
      }
      #expect(browser.page.all("button").contains { $0.text == "Start free week" })
      #expect(!browser.page.all("button").contains { $0.text.hasPrefix("Pay") })
      try await browser.submit(String(browser.path.dropFirst(4)), with: ["method": "card_succeeds"])
      let end = Texts(.english).day(shop.store.clock.now().addingTimeInterval(7 * 86400), in: .netherlands)
      #expect(browser.html.contains("Runs until") && browser.html.contains(end))
    }
  }

  @Test("While a plan runs, the shop says until when, beside it and beside the other plans of its subscription")
  func plans() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await shop.login.logIn(browser)
      try await Self.buy("pro", in: browser)
      #expect(browser.html.contains("Thank you"))
      try await browser.get(Self.path)
      let (pro, plus) = (try Self.card("pro", in: browser), try Self.card("plus", in: browser))
      #expect(!pro.isForSale && pro.text.contains("Yours until"))
      #expect(!plus.isForSale && plus.text.contains("You can change to this plan on your account page."))
      #expect(!plus.text.contains("free"))
      // A visit in between extends the login.
      for _ in 1...2 {
        shop.store.clock.advance(by: .seconds(16 * 86400))
        try await browser.get(Self.path)
      }
      #expect(browser.page.all("a").contains { $0["href"] == "/account" })
      #expect(try Self.card("pro", in: browser).isForSale && Self.card("plus", in: browser).isForSale)
    }
  }

  @Test("What is not on sale any more leads back to the shop, which says so")
  func gone() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await shop.login.logIn(browser)
      try await browser.get(Self.path)
      try await browser.submit("/buy", with: ["product_id": "candles"])
      #expect(browser.path.hasPrefix(Self.path) && browser.html.contains("That isn’t on sale any more."))
    }
  }
}
