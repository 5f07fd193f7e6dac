import ConformanceTable
import Foundation
import OnsideKit
import StoreTestSupport
import Testing

/// Buying from a page, and what becomes of it when the page goes.
@MainActor
@Suite("Web pages: purchases", .serialized, .webColumns, .webInstalled, .timeLimit(.minutes(10)))
struct WebPurchaseTests {
  @Test("JSB-7: from the button to the goods: login, purchase, delivery, finish, history, logout")
  func whole() async throws {
    try await Web.run { web in
      try await web.page.run(
        "listen('onTransactionsUpdated', 'onTransactionsRemoved', 'onStorefrontChanged')")
      try await web.load(ExampleProducts.adFree)
      let actualValue = try await web.page.json(web.buying(ExampleProducts.adFree, token: "customer 7"))
      #expect(actualValue == "{}")
      try await web.page.until(
        "heard.some(([name, all]) => name === 'onTransactionsUpdated' && all[0].transactionState === 'purchased')")
      let transactions = try await web.page.json(
        """
        onside.getTransactions().then((all) => all.map((one) =>
          [one.transactionState, one.payment.product.productIdentifier, one.payment.appAccountToken,
           one.storefront.countryCode, one.transactionIdentifier === one.originalTransactionIdentifier]))
        """)
      #expect(transactions == #"[["purchased","remove_ads","customer 7","NL",true]]"#)
      try await web.page.run("for (const { id } of await onside.getTransactions()) await onside.finishTransaction(id)")
      try await web.page.until("heard.some(([name]) => name === 'onTransactionsRemoved')")
      let secondValue = try await web.page.json("onside.getTransactions()")
      #expect(secondValue == "[]")
      let parts = "onside.getSignedInAppsHistory().then(({ string }) => string.split('.').length)"
      let thirdValue = try await web.page.json(parts)
      #expect(thirdValue == "3")
      let saleCount = try await web.system.sales().count
      #expect(saleCount == 1)
      try await web.page.run("await onside.logout()")
      try await web.page.until("heard.some(([name, value]) => name === 'onStorefrontChanged' && value === null)")
      let fourthValue = try await web.page.json("onside.getCurrentStorefront()")
      #expect(fourthValue == "null")
    }
  }

  @Test("ENT-5, JSB-7: a page asks what may be used, and hears of a purchase")
  func entitlements() async throws {
    try await Web.run { web in
      try await web.page.run("listen('onEntitlementsChanged')")
      let value = try await web.page.json("onside.getEntitlements()")
      #expect(value == "[]")
      try await web.buyAndFinish(ExampleProducts.adFree)
      let active = "all.some((one) => one.productIdentifier === 'remove_ads' && one.isActive)"
      try await web.page.until("heard.some(([name, all]) => name === 'onEntitlementsChanged' && \(active))")
      let secondValue = try await web.page.json("onside.getEntitlements().then((all) => \(active))")
      #expect(secondValue == "true")
      try await web.page.run("await onside.logout()")
      let thirdValue = try await web.page.json("onside.getEntitlements()")
      #expect(thirdValue == "[]")
    }
  }

  @Test("JSB-7: a restore delivers what the account owns, then says that it has finished")
  func restore() async throws {
    try await Web.run { web in
      try await web.page.run("listen('onTransactionsUpdated', 'onRestoreCompletedTransactionsFinished')")
      try await web.buyAndFinish(ExampleProducts.adFree)
      try await web.system.finished(1, of: web.device.user)
      try await web.page.run("heard.length = 0; await onside.restoreCompletedTransactions()")
      try await web.page.until("heard.some(([name]) => name === 'onRestoreCompletedTransactionsFinished')")
      let heard = try await web.page.json(
        "heard.map(([name, all]) => all ? all[0].transactionState : name)")
      #expect(heard == #"["restored","onRestoreCompletedTransactionsFinished"]"#)
    }
  }

  @Test("JSB-7: what happens while a page loads again waits for the new page, which knows everything")
  func reload() async throws {
    try await Web.run { web in
      try await web.load(ExampleProducts.coins)
      let started = Latch()
      web.device.user.next(.payment) { visit in
        try await started.passed()
        try await web.page.reload()
        return try await visit.pay()
      }
      let value = try await web.page.json(web.buying(ExampleProducts.coins))
      #expect(value == "{}")
      started.open()
      try await web.system.paid(1)
      try await web.page.until("onside.getTransactions().then((all) => all[0]?.transactionState === 'purchased')")
      // What the old page's script loaded can still be bought: the products are the process's.
      let secondValue = try await web.page.json(web.buying(ExampleProducts.coins))
      #expect(secondValue == "{}")
    }
  }

  @Test("JSB-7: an event waits for a page that is ready, and comes to its handler")
  func heldEvents() async throws {
    try await Web.run { web in
      try await web.page.open(try web.site.address("/elsewhere", host: "localhost"))
      try await web.device.client.login()
      _ = try await web.device.client.products(for: [ExampleProducts.coins])
      web.site.put("<script>listen('onTransactionsUpdated', 'onStorefrontChanged')</script>", at: "/shop")
      try await web.page.open(try web.site.address("/shop"))
      try await web.page.until("heard.length > 0")
      let heard = try await web.page.json("heard.map(([name, value]) => [name, value.countryCode])")
      #expect(heard == #"[["onStorefrontChanged","NL"]]"#)
    }
  }

  @Test("JSB-8: a page whose process dies takes no purchase with it; the next page has them all")
  func crash() async throws {
    try await Web.run { web in
      try await web.load(ExampleProducts.coins)
      let started = Latch()
      web.device.user.next(.payment) { visit in
        try await started.passed()
        try await web.page.crash()
        return try await visit.pay()
      }
      let value = try await web.page.json(web.buying(ExampleProducts.coins))
      #expect(value == "{}")
      started.open()
      try await web.system.paid(1)
      try await web.page.open(try web.site.address())
      try await web.page.until("onside.getTransactions().then((all) => all[0]?.transactionState === 'purchased')")
    }
  }

  @Test("JSB-8: a login that the user closes settles every call that waits for it")
  func discarded() async throws {
    try await Web.run { web in
      web.device.user.next(.login) { try await $0.cancel() }
      let both = try await web.page.json(
        "Promise.all([outcome(onside.requestLogin()), outcome(onside.restoreCompletedTransactions())])")
      #expect(both.contains(#"{"rejection":{"loginDiscarded":{}}}"#))
      let value = try await web.page.json("outcome(onside.requestLogin())")
      #expect(value == "{}")
    }
  }
}

extension Web {
  /// Loads a product, so that it can be bought.
  func load(_ product: String) async throws {
    try await page.run("await onside.loadProducts({ productIdentifiers: [product] })", arguments: ["product": product])
  }

  /// The expression of a purchase's outcome.
  func buying(_ product: String, token: String? = nil) -> String {
    let token = token.map { ", appAccountToken: '\($0)'" } ?? ""
    return "outcome(onside.purchase({ productIdentifier: '\(product)'\(token) }))"
  }

  /// Buys a product and finishes it.
  func buyAndFinish(_ product: String) async throws {
    try await load(product)
    let value = try await page.json(buying(product))
    #expect(value == "{}")
    try await page.run(
      """
      await until(async () => (await onside.getTransactions()).some((one) => one.transactionState === 'purchased'));
      for (const { id } of await onside.getTransactions()) await onside.finishTransaction(id);
      await until(async () => (await onside.getTransactions()).length === 0);
      """)
  }
}

extension TestedSystem {
  /// Waits until so many sales are in the books.
  func paid(_ count: Int) async throws {
    try await NamedDeadline.wait(for: "\(count) sales") { try await sales().count >= count }
  }
}
