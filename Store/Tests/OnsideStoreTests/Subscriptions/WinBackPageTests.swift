import Foundation
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreSales

/// The page of a subscription that is over.
@Suite("Page of a win-back offer", .timeLimit(.minutes(5)))
struct WinBackPageTests {
  @Test("SUB-10: the account page leads who has left to the offer, whose button leads to a page with both prices")
  func page() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await shop.login.logIn(browser)
      try await browser.get("/shop/\(ShopStore.app)")
      try await browser.submit("/buy", with: ["product_id": "pro"])
      try await browser.submit(String(browser.path.dropFirst(4)), with: ["method": "card_succeeds"])
      try await browser.get("/account/subscriptions?app=\(ShopStore.app)&group=plus")
      try await browser.submit("/account/subscriptions", with: ["action": "renewal", "renewal": "off"])
      shop.store.advance(by: .seconds(32 * 86_400))
      try await shop.store.core.subscriptions.passTime()
      try await shop.login.logIn(browser)
      try await browser.get("/account")
      #expect(!browser.html.contains("/account/subscriptions"))
      try await sellReturn(at: shop)
      try await browser.get("/account")
      #expect(browser.html.contains("Ended on"))
      try await browser.get("/account/subscriptions?app=\(ShopStore.app)&group=plus")
      #expect(browser.html.contains("4,99") && browser.html.contains("14,99"))
      #expect(browser.html.contains("Subscribe for") && !browser.html.contains("Renew again"))
      try await browser.submit("/account/subscriptions", with: ["plan": "pro", "price": "199 EUR"])
      #expect(browser.html.contains("price is another one") || browser.path.contains("note=price"))
      try await browser.submit("/account/subscriptions", with: ["plan": "pro"])
      #expect(browser.path.hasPrefix("/pay/"))
      #expect(browser.html.contains("4,99") && browser.html.contains("14,99") && browser.html.contains("then"))
      try await browser.submit(String(browser.path.dropFirst(4)), with: ["method": "card_succeeds"])
      #expect(browser.path.hasPrefix("/receipt/"))
    }
  }

  private func sellReturn(at shop: ShopStore) async throws {
    let offer = Offer(
      id: "again", kind: .winBack, mode: .payUpFront, period: .oneMonth,
      prices: [.netherlands: Money(minorUnits: 499, currency: .eur)])
    let catalogue = shop.store.core.catalogue
    let products = catalogue.catalogue(of: ShopStore.app).products.map { product in
      var product = product
      if product.id == "pro" { product.subscription?.offers = [offer] }
      return product
    }
    try await catalogue.replace(try Catalogue(products: products), of: ShopStore.app)
  }
}
