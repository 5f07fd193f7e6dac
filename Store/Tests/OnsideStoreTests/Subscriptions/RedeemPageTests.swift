import Foundation
import HTTPTypes
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreSales

/// The page on which a code is redeemed.
@Suite("Page for codes", .timeLimit(.minutes(5)))
struct RedeemPageTests {
  @Test("SUB-11: a link leads through the login to the offer with both prices, and on to the payment page")
  func link() async throws {
    let shop = try await ShopStore()
    let code = try await makeCode(at: shop)
    try await shop.test { client in
      let browser = Browser(client)
      try await browser.get("/redeem")
      #expect(browser.html.contains("Enter the code of an offer."))
      try await browser.get("/redeem?code=\(code.readable)")
      #expect(browser.path.hasPrefix("/login/"))
      try await shop.login.logIn(browser)
      try await browser.get("/redeem?code=\(code.readable.lowercased())")
      #expect(browser.html.contains("4,99") && browser.html.contains("14,99") && browser.html.contains("Lumen"))
      try await browser.submit("/redeem", with: [:])
      #expect(browser.path.hasPrefix("/pay/") && browser.html.contains("4,99") && browser.html.contains("14,99"))
      try await browser.submit(String(browser.path.dropFirst(4)), with: ["method": "card_succeeds"])
      #expect(browser.path.hasPrefix("/receipt/"))
      try await browser.get("/redeem?code=\(code.readable)")
      #expect(browser.status == .unprocessableContent && browser.html.contains("You have used this code already."))
    }
  }

  @Test("SUB-11: wrong codes are told as wrong, and too many have to wait")
  func wrong() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await shop.login.logIn(browser)
      for _ in 0..<OfferCodeTryRecords.perAccount {
        try await browser.get("/redeem?code=NO-SUCH-CODE")
        #expect(browser.status == .unprocessableContent && browser.html.contains("There is no such code."))
      }
      try await browser.get("/redeem?code=NO-SUCH-CODE")
      #expect(browser.status == .tooManyRequests)
    }
  }

  private func makeCode(at shop: ShopStore) async throws -> OfferCode {
    let offer = Offer(
      id: "spring", kind: .code, mode: .payUpFront, period: .oneMonth,
      prices: [.netherlands: Money(minorUnits: 499, currency: .eur)])
    let core = shop.store.core
    let products = core.catalogue.catalogue(of: ShopStore.app).products.map { product in
      var product = product
      if product.id == "pro" { product.subscription?.offers = [offer] }
      return product
    }
    try await core.catalogue.replace(try Catalogue(products: products), of: ShopStore.app)
    return try #require(
      try await core.offerCodes.create(
        1, product: "pro", offer: "spring", of: ShopStore.app, expiresAt: nil
      ).codes.first)
  }
}
