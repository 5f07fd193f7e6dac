import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreWeb

/// The payment method on the page of a subscription, and subscriptions on the page of payment methods.
@Suite("Pages of subscriptions: payment method", .timeLimit(.minutes(5)))
struct SubscriptionMethodPageTests {
  private static let form = "/account/subscriptions"

  /// A browser in which an account has subscribed with a card that is not saved for other purchases.
  private static func run(
    _ body: @escaping @Sendable (_ shop: ShopStore, _ browser: Browser, _ account: String) async throws -> Void
  ) async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await SubscriptionPageTests.checkout(browser, at: shop)
      try await browser.submit(String(browser.path.dropFirst(4)), with: ["method": "card_succeeds"])
      let account = try await SubscriptionPageTests.subscription(of: shop).key.account
      try await SubscriptionPageTests.manage(browser)
      try await body(shop, browser, account)
    }
  }

  /// Removes the only method of the account.
  private static func removeMethod(of account: String, at shop: ShopStore) async throws {
    let payments = shop.store.core.payments
    let listed = try await payments.listedMethods(of: account)
    #expect(try await payments.remove(try #require(listed.first).method.id, of: account))
  }

  @Test("SUB-17: a card that is chosen for an unpaid renewal is charged at once, at the price of its button alone")
  func price() async throws {
    try await Self.run { shop, browser, account in
      try await shop.makeRenewalFail()
      let card = try await shop.store.save(.callbackTwice, of: account)
      try await SubscriptionPageTests.manage(browser)
      #expect(browser.html.contains("14,99") && browser.html.contains("with this card</button>"))
      try await browser.submit(Self.form, with: ["action": "method", "method": card, "price": "1399 EUR"])
      #expect(browser.html.contains("The price has changed"))
      try await shop.store.core.deliverOutbox()
      let state = try await SubscriptionPageTests.subscription(of: shop).state
      try await browser.submit(Self.form, with: ["action": "method", "method": card, "price": "1499 EUR"])
      #expect(browser.html.contains("charged to this card from now on"))
      try await shop.store.core.deliverOutbox()
      let secondState = try await SubscriptionPageTests.subscription(of: shop).state
      #expect(state != "active" && secondState == "active")
    }
  }

  @Test("SUB-17: a card that is chosen while the renewal is off is charged nothing, and the page says so")
  func renewalOff() async throws {
    try await Self.run { shop, browser, account in
      try await browser.submit(Self.form, with: ["action": "renewal", "renewal": "off"])
      let card = try await shop.store.save(.callbackTwice, of: account)
      try await browser.submit(Self.form, with: ["action": "method", "method": card, "price": "1499 EUR"])
      #expect(browser.html.contains("charged if you switch the renewal on again"))
      #expect(browser.html.contains("Renew again"))
    }
  }

  @Test(
    "SUB-17: without a method the page offers to add a card instead of the renewal, and the page of cards leads back")
  func none() async throws {
    try await Self.run { shop, browser, account in
      #expect(!browser.html.contains("Add a card"))
      try await Self.removeMethod(of: account, at: shop)
      try await SubscriptionPageTests.manage(browser)
      #expect(!browser.html.contains("Renew again") && browser.html.contains("Add a card"))
      try await browser.submit(Self.form, with: ["action": "card"])
      #expect(browser.path.hasPrefix("/methods/"))
      let link = browser.page.all("a").first { $0["href"]?.hasPrefix(Self.form) == true }?["href"]
      try await shop.store.save(.succeeds, of: account)
      try await browser.get(try #require(link).replacing("&amp;", with: "&"))
      #expect(browser.html.contains("Use this card"))
    }
  }

  @Test(
    "SUB-17: the pages name and do not offer a card whose provider is no longer configured, and can stop the renewal")
  func formerProvider() async throws {
    try await Self.run { shop, browser, account in
      let other = try await shop.store.save(.callbackTwice, of: account)
      try await shop.store.core.dependencies.database.write {
        try $0.execute("UPDATE payment_methods SET provider = 'former'")
      }
      try await SubscriptionPageTests.manage(browser)
      #expect(browser.html.contains("Visa 4242") && !browser.html.contains("Use this card"))
      try await browser.submit(Self.form, with: ["action": "method", "method": other, "price": "1499 EUR"])
      #expect(browser.html.contains("Nothing was changed"))
      try await browser.submit(Self.form, with: ["action": "card"])
      try await SubscriptionPageTests.manage(browser)
      try await browser.submit(Self.form, with: ["action": "renewal", "renewal": "off"])
      let state = try await SubscriptionPageTests.subscription(of: shop).state
      #expect(state == "ending")
    }
  }

  @Test("SUB-19: a plan that another person's card pays is not changed on the page before a card of its own is chosen")
  func otherPerson() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await SubscriptionPageTests.checkout(browser, at: shop)
      let payer = Browser(client)
      try await payer.get(browser.path)
      #expect(payer.html.contains("Renews at"))
      try await payer.submit(String(payer.path.dropFirst(4)), with: ["method": "card_succeeds"])
      let account = try await SubscriptionPageTests.subscription(of: shop).key.account
      try await SubscriptionPageTests.manage(browser)
      #expect(browser.html.contains("Add a card"))
      let choice = ["action": "plan", "plan": "plus", "price": "999 EUR"]
      try await browser.submit(Self.form, with: choice)
      #expect(browser.html.contains("the card of this subscription is not saved in your account"))
      let card = try await shop.store.save(.callbackTwice, of: account)
      try await browser.submit(Self.form, with: ["action": "method", "method": card, "price": "1499 EUR"])
      #expect(browser.html.contains("charged to this card from now on"))
      try await browser.submit(Self.form, with: choice)
      let next = try await SubscriptionPageTests.subscription(of: shop).nextProduct
      #expect(next == "plus")
    }
  }

  @Test("SUB-19: a browser without the login begins a payment of its own where the account's payment awaits a card")
  func forwarded() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let browser = Browser(client)
      try await SubscriptionPageTests.checkout(browser, at: shop)
      let address = browser.path
      try await browser.submit(String(address.dropFirst(4)), with: ["method": "card_second_step"])
      #expect(browser.path.hasSuffix("/second-step"))
      let payer = Browser(client)
      try await payer.get(browser.path)
      #expect(payer.path == address)
      try await payer.submit(String(address.dropFirst(4)), with: ["method": "card_succeeds"])
      let key = try await SubscriptionPageTests.subscription(of: shop).key
      let consents = try await shop.store.core.dependencies.database.read {
        try SubscriptionConsentRecords.all(of: key, in: $0)
      }
      #expect(consents.map(\.giver) == [.payer])
    }
  }

  private static func stored(_ account: String, at shop: ShopStore) async throws -> StoredSubscription {
    let known = try await shop.store.core.dependencies.database.read {
      try SubscriptionRecords.subscriptions(of: account, in: $0).first
    }
    return try #require(known)
  }

  /// The page of payment methods of an account.
  private static func methodsPage(of account: String, at shop: ShopStore, _ browser: Browser) async throws -> String {
    let customer = Customer(account: account, app: ShopStore.app)
    try await shop.store.core.dependencies.database.write(at: shop.store.clock.now()) {
      try MethodsSessionRecords.insert("token", for: customer, in: $0)
    }
    try await browser.get("/methods/token?app=\(ShopStore.app)")
    return "/methods/token"
  }

  @Test("SUB-17: a card that a subscription renews with is removed only with another one, which takes its place")
  func removalWithReplacement() async throws {
    try await Self.run { shop, browser, account in
      let (payments, used) = (shop.store.core.payments, try #require(try await Self.stored(account, at: shop).method))
      let other = try await shop.store.save(.callbackTwice, of: account)
      let page = try await Self.methodsPage(of: account, at: shop, browser)
      try await browser.submit(page, with: ["method": used, "do": "remove"])
      #expect(
        browser.html.contains("Remove \("Visa, ends in 4242".isolated)?")
          && browser.html.contains("For \("Pro".isolated)"))
      let kept = try await payments.listedMethods(of: account).map(\.method.id)
      #expect(Set(kept) == Set([used, other]))
      try await browser.submit(page, with: ["replacement": other, "do": "remove"])
      let left = try await payments.listedMethods(of: account).map(\.method.id)
      let subscription = try await Self.stored(account, at: shop)
      #expect(left == [other] && subscription.method == other && subscription.machine.autoRenews)
      let consents = try await shop.store.core.dependencies.database.read {
        try SubscriptionConsentRecords.all(of: subscription.key, in: $0)
      }
      #expect(consents.map(\.method) == [used, other])
      try await browser.get("/account")
      #expect(browser.html.contains("ends in \(SandboxCard.callbackTwice.lastFour)"))
    }
  }

  @Test(
    "SUB-17: an answer to other renewals or prices than the present ones changes nothing, and the page asks again",
    arguments: ["end", "replacement"])
  func changedRenewals(answer: String) async throws {
    try await Self.run { shop, browser, account in
      let used = try #require(try await Self.stored(account, at: shop).method)
      let other = try await shop.store.save(.callbackTwice, of: account)
      let page = try await Self.methodsPage(of: account, at: shop, browser)
      try await browser.submit(page, with: ["method": used, "do": "remove"])
      let chosen = answer == "end" ? "end" : other
      try await browser.submit(
        page, with: ["replacement": chosen, "do": "remove", "statement": "\(ShopStore.app)/plus=1.00 EUR"])
      #expect(browser.html.contains("The price has changed") && browser.html.contains("For \("Pro".isolated)"))
      let left = try await shop.store.core.payments.listedMethods(of: account).map(\.method.id)
      let subscription = try await Self.stored(account, at: shop)
      #expect(Set(left) == Set([used, other]) && subscription.method == used && subscription.machine.autoRenews)
    }
  }

  @Test("SUB-17: a card that a subscription renews with is removed when its buyer ends the renewal")
  func removalWithoutReplacement() async throws {
    try await Self.run { shop, browser, account in
      let used = try #require(try await Self.stored(account, at: shop).method)
      let page = try await Self.methodsPage(of: account, at: shop, browser)
      try await browser.submit(page, with: ["method": used, "do": "remove"])
      #expect(browser.html.contains("Add a card"))
      try await browser.submit(page, with: ["replacement": "end", "do": "remove"])
      let subscription = try await Self.stored(account, at: shop)
      #expect(!subscription.machine.autoRenews && subscription.method == nil)
      #expect(browser.html.contains("You haven’t saved a card yet"))
    }
  }

  @Test("SUB-17: a card without a renewal is removed without a question, and the account page names the card before")
  func removalWhileOff() async throws {
    try await Self.run { shop, browser, account in
      let used = try #require(try await Self.stored(account, at: shop).method)
      try await browser.get("/account")
      #expect(browser.html.contains("Visa, ends in 4242"))
      try await SubscriptionPageTests.manage(browser)
      try await browser.submit(Self.form, with: ["action": "renewal", "renewal": "off"])
      let page = try await Self.methodsPage(of: account, at: shop, browser)
      try await browser.submit(page, with: ["method": used, "do": "remove"])
      #expect(browser.html.contains("You haven’t saved a card yet"))
      try await browser.get("/account")
      #expect(!browser.html.contains("Visa, ends in 4242"))
    }
  }

  @Test("SUB-17: the replacement of a removed card pays an unpaid renewal at once, at the price of the page alone")
  func removalWhileUnpaid() async throws {
    try await Self.run { shop, browser, account in
      try await shop.makeRenewalFail()
      let used = try #require(try await Self.stored(account, at: shop).method)
      let other = try await shop.store.save(.callbackTwice, of: account)
      let page = try await Self.methodsPage(of: account, at: shop, browser)
      try await browser.submit(page, with: ["method": used, "do": "remove"])
      #expect(browser.html.contains("Another card is charged") && browser.html.contains("14,99"))
      try await browser.submit(page, with: ["replacement": other, "statement": "another", "do": "remove"])
      #expect(browser.html.contains("The price has changed"))
      try await shop.store.core.deliverOutbox()
      let before = try await Self.stored(account, at: shop)
      #expect(before.machine.isUnpaid && before.method == used)
      try await browser.submit(page, with: ["replacement": other, "do": "remove"])
      try await shop.store.core.deliverOutbox()
      let after = try await Self.stored(account, at: shop)
      #expect(after.machine.stage == .active && after.method == other)
    }
  }

  @Test("SUB-17: the page of payment methods shows a card of a provider that is no longer configured")
  func formerProviderMethods() async throws {
    try await Self.run { shop, browser, account in
      try await shop.store.core.dependencies.database.write {
        try $0.execute("UPDATE payment_methods SET provider = 'former'")
      }
      _ = try await Self.methodsPage(of: account, at: shop, browser)
      #expect(browser.html.contains("Visa 4242"))
    }
  }
}
