import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreWeb

@Suite("Paying on the page", .timeLimit(.minutes(5)))
struct PaymentPageTests {
  @Test("The page shows product, price, region and cards; paying leads back to the app")
  func pays() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await shop.login.tokens(client)
      let order = try await shop.order(client, tokens: tokens)
      let browser = try await Browser(client).get(order.path + "?return_uri=http%3A%2F%2F127.0.0.1%3A4711%2Fcallback")
      #expect(browser.html.contains("100 &lt;coins&gt;"))
      #expect(browser.html.contains("Netherlands") && browser.html.contains("0,99"))
      #expect(browser.page.elements.filter { $0["type"] == "radio" }.count == SandboxCard.allCases.count)
      #expect(browser.response?.headers[.contentSecurityPolicy]?.contains("'self' http://127.0.0.1:4711;") == true)
      try await browser.submit(order.path, with: ["method": "card_succeeds"])
      #expect(
        browser.leftFor == "http://127.0.0.1:4711/callback?order_id=\(order.id)&outcome=paid")
      let state = try await shop.state(client, tokens: tokens, id: order.id).state
      #expect(state == .paid)
    }
  }

  @Test("ACC-8, SEC-3: the app's state comes back with every redirect, from page to page, and is never text of a page")
  func state() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await shop.login.tokens(client)
      let state = "s%22%3E%3Cb%3E%26x"
      let query = "?return_uri=\(LoginStore.redirect.percentEncoded)&state=\(state)"
      let paid = try await shop.order(client, tokens: tokens)
      let browser = try await Browser(client).get(paid.path + query)
      #expect(!browser.html.contains("<b>"))
      try await browser.submit(paid.path, with: ["method": "card_second_step"])
      try await browser.submit("/second-step", with: ["answer": "approve"])
      #expect(browser.leftFor == LoginStore.redirect + "?order_id=\(paid.id)&outcome=paid&state=\(state)")
      let given = try await shop.order(client, tokens: tokens)
      try await browser.get(given.path + query)
      try await browser.submit("/cancel")
      #expect(browser.leftFor == LoginStore.redirect + "?order_id=\(given.id)&outcome=cancelled&state=\(state)")
      let owner = Browser(client)
      try await shop.login.logIn(owner)
      try await owner.get(try await shop.methodsPage(client, tokens: tokens) + "&state=\(state)")
      try await owner.submit("/done")
      #expect(owner.leftFor == LoginStore.redirect + "?state=\(state)")
    }
  }

  @Test("QUE-25: once a browser has the page, a closed screen does not give the order up; the page's own button does")
  func closedScreen() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await shop.login.tokens(client)
      func close(_ order: (id: OrderID, path: String)) async throws -> OrderState.Stage {
        _ = try await client.execute(
          uri: Route.cancelOrder.path(order.id.description) + "?reason=screen_closed", method: .post,
          headers: [.authorization: "Bearer \(tokens.accessToken)"])
        return try await shop.state(client, tokens: tokens, id: order.id).state
      }
      let actualClose = try await close(try await shop.order(client, tokens: tokens))
      #expect(actualClose == .cancelled)
      let order = try await shop.order(client, tokens: tokens)
      let browser = try await Browser(client).get(order.path)
      let secondClose = try await close(order)
      #expect(secondClose == .open)
      try await browser.submit("/cancel")
      let cancelReason = try await shop.state(client, tokens: tokens, id: order.id).cancelReason
      #expect(cancelReason == .user)
      let paid = try await shop.order(client, tokens: tokens)
      try await browser.get(paid.path)
      let thirdClose = try await close(paid)
      #expect(thirdClose == .open)
      try await browser.submit(paid.path, with: ["method": "card_succeeds"])
      let state = try await shop.state(client, tokens: tokens, id: paid.id).state
      #expect(state == .paid)
    }
  }

  @Test("SEC-2: the payment page has no script and no field to type a card number into")
  func noCardNumber() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let order = try await shop.order(client, tokens: try await shop.login.tokens(client))
      let browser = Browser(client)
      try await shop.login.logIn(browser)
      try await browser.get(order.path)
      #expect(browser.page.all("script", "iframe", "object").isEmpty)
      let kinds = Set(browser.page.all("input").compactMap { $0["type"] })
      #expect(kinds == ["hidden", "radio", "checkbox"])
      #expect(browser.page.all("textarea", "select").isEmpty)
      #expect(browser.response?.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'") == true)
    }
  }

  @Test("A declined card is said beside the choice, and another one pays")
  func declined() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await shop.login.tokens(client)
      let order = try await shop.order(client, tokens: tokens)
      let browser = try await Browser(client).get(order.path)
      try await browser.submit(order.path, with: ["method": "card_declined"])
      #expect(browser.page.element(id: "method-error")?.text.contains("declined") == true)
      // No card is preselected, so that the same card is not sent again by mistake.
      #expect(!browser.page.elements.contains { $0["type"] == "radio" && $0["checked"] != nil })
      let state = try await shop.state(client, tokens: tokens, id: order.id).state
      #expect(state == .open)
      try await browser.submit(order.path, with: ["method": "card_succeeds"])
      #expect(browser.path.hasPrefix("/receipt/"))
      #expect(browser.html.contains(order.id.description))
      #expect(browser.page.element(id: "receipt")?.text.split(separator: ".").count == 3)
    }
  }

  @Test("GAT-4: a price that changed meanwhile is shown again, and only the one shown is charged")
  func priceChanged() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await shop.login.tokens(client)
      let order = try await shop.order(client, tokens: tokens)
      let browser = try await Browser(client).get(order.path)
      try await shop.sell(coins: 149)
      try await browser.submit(order.path, with: ["method": "card_succeeds"])
      #expect(browser.status == .conflict)
      #expect(browser.html.contains("The price has changed") && browser.html.contains("1,49"))
      let state = try await shop.state(client, tokens: tokens, id: order.id).state
      #expect(state == .open)
      try await browser.submit(order.path, with: ["method": "card_succeeds"])
      let paid = try await shop.state(client, tokens: tokens, id: order.id)
      #expect(paid.state == .paid && paid.price.amount == 149)
    }
  }

  @Test("A region that changed meanwhile closes the order, uncharged")
  func regionChanged() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await shop.login.tokens(client)
      let order = try await shop.order(client, tokens: tokens)
      let browser = try await Browser(client).get(order.path)
      let germany = try #require(CountryCode(alpha2: "DE"))
      _ = try await shop.store.core.accounts.changeRegion(of: shop.store.account(of: tokens), to: germany)
      try await browser.submit(order.path, with: ["method": "card_succeeds"])
      #expect(browser.html.contains("Your region has changed"))
      let cancelReason = try await shop.state(client, tokens: tokens, id: order.id).cancelReason
      #expect(cancelReason == .storefrontChanged)
    }
  }

  @Test("The bank's page approves or declines", arguments: [true, false])
  func secondStep(approves: Bool) async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await shop.login.tokens(client)
      let order = try await shop.order(client, tokens: tokens)
      let browser = try await Browser(client).get(order.path)
      try await browser.submit(order.path, with: ["method": "card_second_step"])
      #expect(browser.path.hasSuffix("/second-step"))
      #expect(browser.page.all("body").first?["class"] == "bank")
      try await browser.submit("/second-step", with: ["answer": approves ? "approve" : "decline"])
      #expect(browser.path.hasPrefix("/receipt/") == approves)
      #expect((browser.page.element(id: "method-error") != nil) == !approves)
      let state = try await shop.state(client, tokens: tokens, id: order.id).state
      #expect(state == (approves ? .paid : .open))
    }
  }

  @Test("A payment that takes a while shows a page that asks again by itself, and then the receipt")
  func pending() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await shop.login.tokens(client)
      let order = try await shop.order(client, tokens: tokens)
      let browser = try await Browser(client).get(order.path)
      try await browser.submit(order.path, with: ["method": "card_settles_later"])
      #expect(browser.page.all("meta").contains { $0["http-equiv"] == "refresh" })
      shop.store.clock.advance(by: .seconds(120))
      try await shop.store.core.deliverOutbox()
      try await browser.get(browser.path)
      #expect(browser.path.hasPrefix("/receipt/"))
    }
  }

  @Test("Cancel gives the order up and leads back to the app", arguments: [true, false])
  func cancel(returns: Bool) async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await shop.login.tokens(client)
      let order = try await shop.order(client, tokens: tokens)
      let query = returns ? "?return_uri=\(LoginStore.redirect.percentEncoded)" : ""
      let browser = try await Browser(client).get(order.path + query)
      try await browser.submit("/cancel")
      let state = try await shop.state(client, tokens: tokens, id: order.id)
      #expect(state.state == .cancelled && state.cancelReason == .user)
      if returns {
        #expect(browser.leftFor == LoginStore.redirect + "?order_id=\(order.id)&outcome=cancelled")
      } else {
        #expect(browser.html.contains("This order is closed"))
      }
    }
  }

  @Test("The page of an order that was not paid in time says so")
  func expired() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let order = try await shop.order(client, tokens: try await shop.login.tokens(client))
      shop.store.clock.advance(by: .seconds(1801))
      let browser = try await Browser(client).get(order.path)
      #expect(browser.html.contains("open for too long"))
    }
  }

  @Test("Money that came for a closed order, or for what is owned already, is said to go back")
  func returned() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await shop.login.tokens(client)
      let closed = try await shop.order(client, tokens: tokens)
      let browser = try await Browser(client).get(closed.path)
      try await browser.submit("/cancel")
      #expect(browser.html.contains("You have not been charged"))
      let event = try await shop.store.event("succeeded", payment: "p-1", order: closed.id, with: client)
      #expect(event == .noContent)
      try await browser.get(closed.path)
      #expect(browser.html.contains("goes back to you") && !browser.html.contains("not been charged"))
      let (late, owned) = (
        try await shop.order(client, tokens: tokens, product: "themes"),
        try await shop.order(client, tokens: tokens, product: "themes")
      )
      try await browser.get(owned.path)
      try await browser.submit(owned.path, with: ["method": "card_succeeds"])
      let secondEvent = try await shop.store.event("succeeded", payment: "p-2", order: late.id, with: client)
      #expect(secondEvent == .noContent)
      try await browser.get(late.path)
      #expect(browser.html.contains("Already yours") && browser.html.contains("goes back to you"))
    }
  }

  @Test(
    "SEC-3: a return address that is not the app's is refused on every payment page",
    arguments: ["", "/return", "/second-step"])
  func returnAddress(step: String) async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let order = try await shop.order(client, tokens: try await shop.login.tokens(client))
      for address in ["https://evil.example/", "//evil.example", "javascript:alert(1)", "http://localhost:1/callback"] {
        let browser = try await Browser(client).get(order.path + step + "?return_uri=\(address.percentEncoded)")
        #expect(browser.status == .badRequest && browser.leftFor == nil)
      }
    }
  }

  @Test("SEC-3: a payment form from elsewhere, without a price or with a made-up card charges nothing")
  func forgery() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await shop.login.tokens(client)
      let order = try await shop.order(client, tokens: tokens)
      let browser = try await Browser(client).get(order.path)
      try await browser.post(order.path, fields: ["method": "card_succeeds", "price": "99 EUR", "csrf": "AAAA"])
      #expect(browser.status == .forbidden)
      try await browser.get(order.path)
      try await browser.submit(order.path, with: ["method": "card_succeeds", "price": "1 EUR"])
      #expect(browser.status == .conflict)
      try await browser.submit(order.path, with: ["method": "card_gold"])
      #expect(browser.page.element(id: "method-error") != nil)
      try await browser.submit(order.path, with: ["method": "saved_0198c0de-0000-7000-8000-000000000001"])
      #expect(browser.page.element(id: "method-error") != nil)
      let state = try await shop.state(client, tokens: tokens, id: order.id).state
      #expect(state == .open)
    }
  }

  @Test("SEC-3: no form of a payment page or of the payment methods works without the browser's token")
  func forgedForms() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await shop.login.tokens(client)
      let order = try await shop.order(client, tokens: tokens)
      let owner = Browser(client)
      try await shop.login.logIn(owner)
      try await owner.get(order.path)
      try await owner.submit(order.path, with: ["method": "card_second_step"])
      let methods = String(try await shop.methodsPage(client, tokens: tokens).prefix { $0 != "?" })
      let fields = [
        "method": "card_succeeds", "price": "99 EUR", "answer": "approve", "do": "add", "card": "succeeds",
      ]
      // `BuyerRefundRequestTests` has those of a refund request.
      let forms = shop.store.pages.filter {
        $0.method == .post && $0.path.contains("{token}") && !$0.path.hasPrefix("/refund")
      }
      #expect(forms.count == 7)
      for route in forms {
        let start = route.path.hasPrefix("/methods") ? methods : order.path
        let path = start + route.path.split(separator: "/").dropFirst(2).map { "/\($0)" }.joined()
        for token in [nil, "", "AAAA"] {
          try await owner.post(path, fields: fields.merging(token.map { ["csrf": $0] } ?? [:]) { $1 })
          #expect(owner.status == .forbidden, "\(path)")
        }
      }
      let state = try await shop.state(client, tokens: tokens, id: order.id).state
      #expect(state == .open)
      let actualMethods = try await shop.store.core.payments.methods(of: shop.store.account(of: tokens).description)
      #expect(actualMethods.isEmpty)
    }
  }

  @Test("The page speaks the order's language, and a card can be remembered")
  func languageAndCards() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await shop.login.tokens(client)
      let first = try await shop.order(client, tokens: tokens, language: "de-AT")
      let browser = Browser(client)
      try await shop.login.logIn(browser)
      try await browser.get(first.path)
      #expect(browser.page.all("html").first?["lang"] == "de")
      #expect(browser.html.contains("100 &lt;coins&gt; (de)"))
      try await browser.submit(first.path, with: ["method": "card_callback_twice", "remember": "1"])
      let second = try await shop.order(client, tokens: tokens)
      try await browser.get(second.path)
      let chosen = try #require(browser.page.elements.first { $0["type"] == "radio" && $0["checked"] != nil })
      #expect(chosen["value"]?.hasPrefix("saved_") == true)
      try await browser.submit(second.path)
      let state = try await shop.state(client, tokens: tokens, id: second.id).state
      #expect(state == .paid)
    }
  }

  @Test("PAY-2: a saved card whose newest payment was declined is not preselected, until its bank replaces the card")
  func declinedSavedCard() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await shop.login.tokens(client)
      let account = shop.store.account(of: tokens).description
      let good = try await shop.store.save(.succeeds, of: account)
      shop.store.advance(by: .seconds(1))
      let declined = try await shop.store.save(.declined, of: account)
      let browser = Browser(client)
      try await shop.login.logIn(browser)
      func preselected() async throws -> String? {
        let order = try await shop.order(client, tokens: tokens)
        try await browser.get(order.path)
        return browser.page.elements.first { $0["type"] == "radio" && $0["checked"] != nil }?["value"]
      }
      let first = try await shop.order(client, tokens: tokens)
      try await browser.get(first.path)
      try await browser.submit(first.path, with: ["method": "saved_\(declined)"])
      let afterDecline = try await preselected()
      #expect(afterDecline == "saved_\(good)")
      _ = try await shop.store.core.dependencies.database.write(at: shop.store.clock.now()) {
        try PaymentMethodRecords.update(
          SandboxCard.declined.details, of: shop.store.core.providers.active.name, in: $0)
      }
      let afterReplacement = try await preselected()
      #expect(afterReplacement == "saved_\(declined)")
    }
  }

  @Test("SEC-3: a saved card is shown and charged only where its owner is logged in; the address is not enough")
  func savedCardOfAnother() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await shop.login.tokens(client)
      try await shop.store.save(.succeeds, of: shop.store.account(of: tokens).description)
      let saved = try #require(
        try await shop.store.core.payments.methods(of: shop.store.account(of: tokens).description).first)
      let order = try await shop.order(client, tokens: tokens)
      let (stranger, neighbour) = (Browser(client), Browser(client))
      try await shop.login.logIn(neighbour, phone: "+31612345680")
      for browser in [stranger, neighbour] {
        try await browser.get(order.path)
        #expect(!browser.html.contains(saved.id))
        try await browser.submit(order.path, with: ["method": "saved_\(saved.id)"])
        #expect(browser.page.element(id: "method-error") != nil)
        let state = try await shop.state(client, tokens: tokens, id: order.id).state
        #expect(state == .open)
      }
      let owner = Browser(client)
      try await shop.login.logIn(owner)
      try await owner.get(order.path)
      try await owner.submit(order.path, with: ["method": "saved_\(saved.id)"])
      let secondState = try await shop.state(client, tokens: tokens, id: order.id).state
      #expect(secondState == .paid)
    }
  }

  @Test("SEC-3: a card is saved only where the account's owner is logged in; the address is not enough")
  func savingForAnother() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await shop.login.tokens(client)
      let neighbour = Browser(client)
      try await shop.login.logIn(neighbour, phone: "+31612345680")
      for browser in [Browser(client), neighbour] {
        let order = try await shop.order(client, tokens: tokens)
        try await browser.get(order.path)
        #expect(!browser.page.elements.contains { $0["name"] == "remember" })
        try await browser.submit(order.path, with: ["method": "card_succeeds", "remember": "1"])
        let state = try await shop.state(client, tokens: tokens, id: order.id).state
        #expect(state == .paid)
      }
      let methods = try await shop.store.core.payments.methods(of: shop.store.account(of: tokens).description)
      #expect(methods.isEmpty)
    }
  }

  @Test("SEC-3: the payment methods are shown and changed only where their owner is logged in; others log in first")
  func methodsOfAnother() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await shop.login.tokens(client)
      try await shop.store.save(.succeeds, of: shop.store.account(of: tokens).description)
      let saved = try #require(
        try await shop.store.core.payments.methods(of: shop.store.account(of: tokens).description).first)
      let path = try await shop.methodsPage(client, tokens: tokens)
      let (stranger, neighbour) = (Browser(client), Browser(client))
      try await shop.login.logIn(neighbour, phone: "+31612345680")
      for browser in [stranger, neighbour] {
        try await browser.get(path)
        #expect(browser.path.hasPrefix("/login/"))
        #expect(!browser.html.contains(saved.id) && browser.page.elements.contains { $0["name"] == "phone" })
        // With a form token that is the browser's own, too.
        let token = try #require(browser.page.elements.first { $0["name"] == "csrf" }?["value"])
        for action in ["remove", "default", "add"] {
          try await browser.post(path, fields: ["do": action, "method": saved.id, "card": "declines", "csrf": token])
          #expect(browser.path.hasPrefix("/login/"))
        }
      }
      let actualMethods = try await shop.store.core.payments.methods(of: shop.store.account(of: tokens).description)
      #expect(actualMethods == [saved])
      // Logging in leads back to the page, with the way to the app still in its address.
      try await stranger.get(path)
      try await stranger.submit(shop.login.attempt(stranger), with: ["phone": "+31612345689"])
      try await stranger.submit("/code", with: ["code": try await shop.login.code("+31612345689")])
      #expect(stranger.path.hasPrefix("/methods/") && stranger.html.contains(saved.id))
      #expect(FormFields(String(stranger.path.drop { $0 != "?" }.dropFirst()))["return_uri"] == LoginStore.redirect)
    }
  }

  @Test("Payment methods: add, prefer, remove, done")
  func methods() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let tokens = try await shop.login.tokens(client)
      let path = try await shop.methodsPage(client, tokens: tokens)
      let page = String(path.prefix { $0 != "?" })
      let browser = Browser(client)
      try await shop.login.logIn(browser)
      try await browser.get(path)
      try await browser.submit(page, with: ["card": "succeeds", "do": "add"])
      shop.store.clock.advance(by: .seconds(1))
      try await browser.submit(page, with: ["card": "second_step", "do": "add"])
      let methods = try await shop.store.core.payments.methods(of: shop.store.account(of: tokens).description)
      #expect(methods.map(\.details.reference) == ["second_step", "succeeds"])
      shop.store.clock.advance(by: .seconds(1))
      let older = try #require(methods.last)
      try await browser.submit(page, with: ["method": older.id, "do": "default"])
      let lastFour = try await shop.store.core.payments.methods(of: shop.store.account(of: tokens).description).first?
        .details
        .lastFour
      #expect(lastFour == "4242")
      try await browser.submit(page, with: ["method": older.id, "do": "remove"])
      let left = try await shop.store.core.payments.methods(of: shop.store.account(of: tokens).description)
      #expect(left.map(\.details.brand) == ["Visa"] && left.map(\.details.lastFour) == ["3155"])
      try await browser.submit("/done")
      #expect(browser.leftFor == LoginStore.redirect)
      shop.store.clock.advance(by: .seconds(900))
      try await browser.get(path)
      #expect(browser.status == .gone)
    }
  }
}
