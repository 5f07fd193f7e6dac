import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales
@testable import StoreWeb

@Suite("Requests for refunds", .timeLimit(.minutes(5)))
struct BuyerRefundRequestTests {
  /// Runs `body` with the browser of a buyer, and the app in which the buyer shops.
  private func buyer(
    _ body: @escaping @Sendable (ShopStore, Browser, Shopper) async throws -> Void
  ) async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await shop.login.logIn(browser)
      let answer = try await LoginStore.token(
        client, parameters: LoginStore.exchange(try #require(browser.answer["code"])))
      let account = shop.store.account(of: try answer.message(TokenMessage.self)).description
      try await body(shop, browser, Shopper(store: shop.store, client: client, accountID: account, country: "NL"))
    }
  }

  private func path(_ order: OrderMessage) -> String { "/account/purchases/\(order.id)/refund" }

  @Test("A buyer asks on the account page, and finds there that the request was sent")
  func asks() async throws {
    try await buyer { shop, browser, shopper in
      let order = try await shopper.buy("coins")
      try await browser.get("/account")
      #expect(browser.page.all("a").contains { $0["href"] == path(order) && $0.text.hasPrefix("Ask for a refund") })
      try await browser.get(path(order))
      #expect(browser.html.contains("100 &lt;coins&gt;") && browser.html.contains("0,99"))
      #expect(browser.page.elements.filter { $0["type"] == "radio" && $0["checked"] == nil }.count == 4)
      try await browser.submit("/refund", with: ["note": "no reason chosen"])
      #expect(browser.status == .unprocessableContent && browser.page.element(id: "reason-error") != nil)
      #expect(browser.html.contains("no reason chosen"))
      let outcome = try await shop.store.refundRequest(order)
      #expect(outcome == nil)
      try await browser.submit("/refund", with: ["reason": "unintended", "note": " <b>My son</b>\r\nbought it. "])
      #expect(browser.path == path(order) && browser.html.contains("Your request was sent"))
      #expect(browser.page.element(id: "note")?.text == "&lt;b&gt;My son&lt;/b&gt;\nbought it.")
      let request = try #require(try await shop.store.refundRequest(order))
      #expect(request.reason == .unintended && request.note == "<b>My son</b>\nbought it.")
      #expect(request.state == .waiting && request.decidedAt == nil)
      try await browser.get("/account")
      #expect(browser.page.all("a").contains { $0["href"] == path(order) && $0.text.hasPrefix("Refund request") })
    }
  }

  @Test("QUE-30: the account page, the receipt and the page for a refund say how many were bought")
  func quantity() async throws {
    try await buyer { shop, browser, shopper in
      let order = try await shopper.buy("coins", quantity: 3)
      try await browser.get("/account")
      #expect(browser.html.contains("3 × 100 &lt;coins&gt;"))
      let token = shop.store.core.orders.json.tokens.token(orderID: order.id.uuid)
      for page in ["/receipt/\(token)", path(order)] {
        try await browser.get(page)
        #expect(browser.html.contains("<dt>Quantity</dt><dd>3</dd>") && browser.html.contains("2,97"), "\(page)")
      }
    }
  }

  @Test("Asking again changes a request that waits; once it is declined, the page says so and takes nothing more")
  func again() async throws {
    try await buyer { shop, browser, shopper in
      let order = try await shopper.buy("coins")
      try await browser.get(path(order))
      try await browser.submit("/refund", with: ["reason": "unintended", "note": "first"])
      let first = try #require(try await shop.store.refundRequest(order))
      shop.store.clock.advance(by: .seconds(60))
      try await browser.submit("/refund", with: ["reason": "not_delivered", "note": ""])
      let second = try #require(try await shop.store.refundRequest(order))
      #expect(second.reason == .notDelivered && second.note == "" && second.askedAt == first.askedAt)
      let form = browser.page.elements.first { $0["name"] == "csrf" }?["value"] ?? ""
      try await shop.store.core.refundRequests.decline(order.id.uuid)
      let again = BuyerRefundRequestError.decided(.declined)
      await #expect(throws: again) { try await shop.store.core.refundRequests.decline(order.id.uuid) }
      try await browser.post(path(order), fields: ["csrf": form, "reason": "other", "note": "late"])
      #expect(browser.html.contains("Declined on") && browser.page.all("textarea").isEmpty)
      let declined = try #require(try await shop.store.refundRequest(order))
      #expect(declined.state == .declined && declined.reason == .notDelivered && declined.decidedAt != nil)
      let revokedAt = try await shopper.order(order.id).revokedAt
      #expect(revokedAt == nil)
    }
  }

  @Test("A purchase is its account's own: another account's browser finds no page, and one without a login logs in")
  func foreign() async throws {
    try await buyer { shop, browser, shopper in
      let order = try await shopper.buy("coins")
      try await browser.get(path(order))
      let other = Browser(browser.client)
      try await shop.login.logIn(other, phone: "+31687654321")
      try await other.get("/account")
      let csrf = other.page.elements.first { $0["name"] == "csrf" }?["value"] ?? ""
      try await other.post(path(order), fields: ["csrf": csrf, "reason": "other"])
      #expect(other.status == .notFound)
      let status = try await other.get(path(order)).status
      #expect(status == .notFound)
      let secondStatus = try await other.get("/account/purchases/x/refund").status
      #expect(secondStatus == .notFound)
      let actualPath = try await Browser(browser.client).get(path(order)).path
      #expect(actualPath.hasPrefix("/login/"))
      let outcome = try await shop.store.refundRequest(order)
      #expect(outcome == nil)
      let stranger = Shopper(
        store: shop.store, client: browser.client, accountID: try await shop.store.account(), country: "NL")
      let thirdStatus = try await stranger.post("/v1/orders/\(order.id)/refund-page").status
      #expect(thirdStatus == .notFound)
      let fourthStatus = try await shopper.post("/v1/orders/\(shop.store.freshID())/refund-page").status
      #expect(fourthStatus == .notFound)
    }
  }

  @Test("What is free, unpaid, owned already or refunded has nothing to ask for")
  func nothing() async throws {
    try await buyer { shop, browser, shopper in
      let (open, free) = (try await shopper.order("coins"), try await shopper.buy("plus"))
      let owned = try await shopper.buy("themes")
      let (duplicate, refunded) = (try await shopper.order("themes"), try await shopper.buy("coins"))
      #expect(free.price.amount == 0 && duplicate.duplicateOf == owned.id)
      try await shop.store.core.refunds.refund(refunded.id.uuid, because: .support)
      for order in [open, free, duplicate, refunded] {
        try await browser.get("/account")
        #expect(!browser.html.contains(path(order)))
        try await browser.get(path(order))
        #expect(browser.status == .ok && browser.html.contains("can’t be refunded") && browser.page.all("form").isEmpty)
        await #expect(throws: BuyerRefundRequestError.nothingToRefund) {
          try await shop.store.ask(for: order, of: shopper.accountID)
        }
      }
      await #expect(throws: BuyerRefundRequestError.noRequest) {
        try await shop.store.core.refundRequests.decline(owned.id.uuid)
      }
    }
  }

  @Test("An app opens the page for its user, who needs no login there, for 15 minutes; a button leads back to the app")
  func fromApp() async throws {
    try await buyer { shop, owner, shopper in
      let order = try await shopper.buy("coins")
      let answer = try await shopper.post("/v1/orders/\(order.id)/refund-page")
      #expect(answer.status == .created)
      let path = try answer.message(HostedPageMessage.self).url.path
      let query = "?return_uri=\(LoginStore.redirect.percentEncoded)&state=a%26b"
      let browser = try await Browser(owner.client).get(path + query)
      try await browser.submit(path, with: ["reason": "not_as_described", "note": "only for the store"])
      #expect(browser.html.contains("Your request was sent"))
      let back = browser.page.all("a").compactMap { $0["href"] }.first { $0.hasPrefix(LoginStore.redirect) }
      #expect(back?.replacing("&amp;", with: "&") == LoginStore.redirect + "?state=a%26b")
      let actualReason = try await shop.store.refundRequest(order)?.reason
      #expect(actualReason == .notAsDescribed)
      // The app knows the address, too: what its user has written is shown to the user's own browser.
      #expect(!browser.html.contains("only for the store"))
      let html = try await owner.get(path).html
      #expect(html.contains("only for the store"))
      let status = try await Browser(owner.client).get(path + "?return_uri=https://evil.example/").status
      #expect(status == .badRequest)
      let forged = path.dropLast(4) + (path.hasSuffix("AAAA") ? "BBBB" : "AAAA")
      let secondStatus = try await Browser(owner.client).get(String(forged)).status
      #expect(secondStatus == .gone)
      shop.store.clock.advance(by: .seconds(15 * 60))
      let thirdStatus = try await Browser(owner.client).get(path).status
      #expect(thirdStatus == .gone)
    }
  }

  @Test("SEC-3: no form of the pages works without the browser's token")
  func forgedForms() async throws {
    try await buyer { shop, browser, shopper in
      let order = try await shopper.buy("coins")
      let page = try await shopper.post("/v1/orders/\(order.id)/refund-page").message(HostedPageMessage.self).url.path
      for path in [path(order), page] {
        try await browser.get(path)
        for token in [nil, "", "AAAA"] {
          let fields = ["reason": "other", "note": "forged"].merging(token.map { ["csrf": $0] } ?? [:]) { $1 }
          try await browser.post(path, fields: fields)
          #expect(browser.status == .forbidden, "\(path)")
        }
      }
      let outcome = try await shop.store.refundRequest(order)
      #expect(outcome == nil)
    }
  }

  @Test("A refund of the whole price grants what waits, whoever made it; a part does not")
  func granted() async throws {
    try await TestStore().shop { shopper in
      let (store, refunds) = (shopper.store, shopper.store.core.refunds)
      let (first, second) = (try await shopper.buy("season"), try await shopper.buy("coins"))
      for order in [first, second] { try await store.ask(for: order, of: shopper.accountID) }
      try await refunds.refund(first.id.uuid, amount: try TestShop.money(199), because: .support)
      let state = try await store.refundRequest(first)?.state
      #expect(state == .waiting)
      try await refunds.refund(first.id.uuid, because: .support)
      let granted = try #require(try await store.refundRequest(first))
      #expect(granted.state == .granted && granted.decidedAt == store.clock.now())
      let orderIDs = try await store.core.refundRequests.newest(9, state: .waiting).map(\.orderID)
      #expect(orderIDs == [second.id.uuid])
      let payment = try #require(try await store.payments(of: second.id).first)
      let told = try await store.event("refunded", payment: payment, order: second.id, with: shopper.client)
      #expect(told == .noContent)
      let secondState = try await store.refundRequest(second)?.state
      #expect(secondState == .granted)
      let newestCount = try await store.core.refundRequests.newest(9).count
      #expect(newestCount == 2)
      await #expect(throws: BuyerRefundRequestError.decided(.granted)) {
        try await store.core.refundRequests.decline(second.id.uuid)
      }
    }
  }

  @Test(
    "SUB-20: after a failed refund the request waits again, for the revoked order that a grant replaces",
    arguments: ["season", "coins"])
  func failed(product: String) async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.buy(product), shopper.store)
      try await store.ask(for: order, of: shopper.accountID)
      try await store.core.refunds.refund(order.id.uuid, because: .support)
      let state = try await store.refundRequest(order)?.state
      #expect(state == .granted)
      let payment = try #require(try await store.payments(of: order.id).first)
      let told = try await store.event("refund_failed", payment: payment, order: order.id, with: shopper.client)
      #expect(told == .noContent)
      let secondState = try await store.refundRequest(order)?.state
      #expect(secondState == .waiting)
      let isEntitled = try await shopper.grants(of: order.id).map(\.state.isEntitled)
      #expect(isEntitled == [true])
    }
  }

  @Test("A refund of a part that takes the purchase away by the app's rule leaves the request waiting")
  func part() async throws {
    try await TestStore().shop { shopper in
      let store = shopper.store
      var app = TestShop.app
      app.rules.refund = .any
      try await store.core.apps.register(app)
      let order = try await shopper.buy("season")
      try await store.ask(for: order, of: shopper.accountID)
      try await store.core.refunds.refund(order.id.uuid, amount: try TestShop.money(1), because: .support)
      let revokedAt = try await shopper.order(order.id).revokedAt
      #expect(revokedAt != nil)
      let state = try await store.refundRequest(order)?.state
      #expect(state == .waiting)
      try await store.core.refunds.refund(order.id.uuid, because: .support)
      let secondState = try await store.refundRequest(order)?.state
      #expect(secondState == .granted)
    }
  }

  @Test("The request is in the purchase's story and the account's export, without its note in the story")
  func told() async throws {
    try await TestStore().shop { shopper in
      let (store, order) = (shopper.store, try await shopper.buy("coins"))
      try await store.ask(for: order, of: shopper.accountID, note: "mine alone")
      store.clock.advance(by: .seconds(60))
      try await store.core.refundRequests.decline(order.id.uuid)
      let story = try await store.core.dependencies.database.read { try PurchaseStory(of: order.id.uuid, in: $0) }
      let texts = story.events.map(\.text)
      #expect(texts.contains("buyer asked for a refund (other)"))
      #expect(texts.last == "buyer's request for a refund declined" && !texts.joined().contains("mine alone"))
      let account = try #require(AccountID(shopper.accountID))
      let document = String(
        decoding: try await store.core.accountExport.document(of: account), as: UTF8.self)
      #expect(document.contains(#""refund_requests""#) && document.contains("mine alone"))
    }
  }

  @Test("A deleted account's words are deleted with it, and the page that an app has opened is gone")
  func deleted() async throws {
    try await buyer { shop, browser, shopper in
      let order = try await shopper.buy("coins")
      try await shop.store.ask(for: order, of: shopper.accountID, note: "mine alone")
      let page = try await shopper.post("/v1/orders/\(order.id)/refund-page").message(HostedPageMessage.self).url.path
      let places = try await shop.store.places(of: ["mine alone"])
      #expect(places == ["refund_requests.note"])
      try await shop.store.core.accounts.remove(try #require(AccountID(shopper.accountID)))
      let secondPlaces = try await shop.store.places(of: ["mine alone"])
      #expect(secondPlaces == [])
      let outcome = try await shop.store.refundRequest(order)
      #expect(outcome == nil)
      let status = try await browser.get(page).status
      #expect(status == .gone)
      let secondStatus = try await shopper.post("/v1/orders/\(order.id)/refund-page").status
      #expect(secondStatus == .notFound)
    }
  }

  @Test("A note has 500 characters at most, and none that would control a terminal")
  func note() throws {
    let text = try BuyerRefundNote("\u{1B}[2J a\u{0}\r\n\tb ").text
    #expect(text == "[2J a\nb")
    let textCount = try BuyerRefundNote(String(repeating: "é", count: 500)).text.count
    #expect(textCount == 500)
    #expect(throws: BuyerRefundRequestError.noteTooLong(501)) {
      try BuyerRefundNote(String(repeating: "x", count: 501))
    }
    // One character to the eye, and 600 to a database.
    let stack = "a" + String(repeating: "\u{0301}", count: 599)
    #expect(throws: BuyerRefundRequestError.noteTooLong(600)) { try BuyerRefundNote(stack) }
  }

  @Test("A note that is too long comes back to be shortened")
  func longNote() async throws {
    try await buyer { shop, browser, shopper in
      let order = try await shopper.buy("coins")
      try await browser.get(path(order))
      let words = String(repeating: "word ", count: 101) + "end"
      try await browser.submit("/refund", with: ["reason": "other", "note": words])
      #expect(browser.status == .unprocessableContent && browser.page.element(id: "note-error") != nil)
      #expect(browser.page.element(id: "note")?.text == words)
      #expect(browser.page.elements.first { $0["checked"] != nil }?["value"] == "other")
      let outcome = try await shop.store.refundRequest(order)
      #expect(outcome == nil)
    }
  }
}

extension TestStore {
  func refundRequest(_ order: OrderMessage) async throws -> BuyerRefundRequest? {
    try await core.refundRequests.request(of: order.id.uuid)
  }

  func ask(for order: OrderMessage, of account: String, note: String = "") async throws {
    try await core.refundRequests.ask(
      for: order.id.uuid, of: account, reason: .other, note: try BuyerRefundNote(note))
  }
}
