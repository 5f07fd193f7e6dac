import ConformanceTable
import Foundation
import OnsideCommerce
import OnsideKit
import Testing

/// The promises of the payment queue, as a page sees them.
@MainActor
@Suite("Web pages: the payment queue", .serialized, .webColumns, .webInstalled, .timeLimit(.minutes(10)))
struct WebQueueTests {
  /// The states that the page has heard of, by product and in their order.
  private static let states = """
    heard.filter(([name]) => name === 'onTransactionsUpdated').flatMap(([, all]) =>
      all.map((one) => `${one.payment.product.productIdentifier} ${one.transactionState}`))
    """

  /// A page that listens, with products that can be bought.
  private func run(_ body: @escaping @MainActor (Web) async throws -> Void) async throws {
    try await Web.run { web in
      try await web.page.run("listen('onTransactionsUpdated', 'onTransactionsRemoved', 'onStorefrontChanged')")
      for product in [ExampleProducts.coins, ExampleProducts.adFree, ExampleProducts.season] {
        try await web.load(product)
      }
      try await body(web)
    }
  }

  @Test("QUE-5: a purchase is fulfilled by its pre-flight; then come purchasing and one final state")
  func states() async throws {
    try await run { web in
      let started = Latch()
      web.device.user.next(.payment) { visit in
        try await started.passed()
        return try await visit.pay()
      }
      let value = try await web.page.json(web.buying(ExampleProducts.coins))
      #expect(value == "{}")
      try await web.hears("coins_100 purchasing")
      started.open()
      try await web.hears("coins_100 purchased")
      web.device.user.next(.payment) { try await $0.cancel() }
      let secondValue = try await web.page.json(web.buying(ExampleProducts.season))
      #expect(secondValue == "{}")
      // Neither is it given up: only the page's own word, or cancelPurchase, does that.
      let cancel = """
        onside.getTransactions().then((all) => all.find((one) => one.payment.product.productIdentifier === \
        '\(ExampleProducts.season)')).then(({ id }) => onside.cancelPurchase(id)).then(() => null)
        """
      let thirdValue = try await web.page.json(cancel)
      #expect(thirdValue == "null")
      try await web.hears("season_pass failed")
      let all = try await web.page.json(Self.states)
      #expect(
        all == #"["coins_100 purchasing","coins_100 purchased","season_pass purchasing","season_pass failed"]"#)
    }
  }

  @Test("QUE-6: a transaction's id is the store's order")
  func identity() async throws {
    try await run { web in
      try await web.buy(ExampleProducts.coins)
      let id = try await web.page.json("onside.getTransactions().then(([one]) => one.id.toLowerCase())")
      let sales = try await web.system.sales().map { "\"\($0.orderID.uuidString.lowercased())\"" }
      #expect(sales == [id])
      let value = try await web.page.json("onside.getTransactions().then(([one]) => one.transactionIdentifier)")
      #expect(value == id)
    }
  }

  @Test("QUE-9: neither a closed screen nor a forged redirect decides; the store does")
  func asked() async throws {
    try await run { web in
      web.device.user.next(.payment) { visit in
        _ = try await visit.pay()
        return .dismissed
      }
      try await web.buy(ExampleProducts.coins)
      web.device.user.next(.payment) { visit in
        .redirected(visit.redirect.appending(queryItems: [URLQueryItem(name: "outcome", value: "paid")]))
      }
      let value = try await web.page.json(web.buying(ExampleProducts.season))
      #expect(value == "{}")
      // The redirect decided nothing: the order is open until the page gives it up.
      try await web.page.run(
        """
        const waiting = (await onside.getTransactions()).filter((t) => t.transactionState === 'purchasing');
        for (const { id } of waiting) await onside.cancelPurchase(id);
        """)
      try await web.hears("season_pass failed")
      let saleCount = try await web.system.sales().count
      #expect(saleCount == 1)
    }
  }

  @Test("QUE-10: a second press joins the open purchase, and what is owned comes again without a charge")
  func joins() async throws {
    try await run { web in
      let pay = Latch()
      web.device.user.next(.payment) { visit in
        try await pay.passed()
        return try await visit.pay()
      }
      let both = "Promise.all([\(web.buying(ExampleProducts.adFree)), \(web.buying(ExampleProducts.adFree))])"
      let value = try await web.page.json(both)
      #expect(value == "[{},{}]")
      let secondValue = try await web.page.json("onside.getTransactions().then((all) => all.length)")
      #expect(secondValue == "1")
      pay.open()
      try await web.hears("remove_ads purchased")
      try await web.finishAll()
      try await web.page.run("heard.length = 0")
      let thirdValue = try await web.page.json(web.buying(ExampleProducts.adFree))
      #expect(thirdValue == "{}")
      try await web.hears("remove_ads purchased")
      let saleCount = try await web.system.sales().count
      #expect(saleCount == 1)
      #expect(web.device.user.count(.payment) == 1)
    }
  }

  @Test("QUE-11: purchases of three products that are called at once are all paid")
  func besideEachOther() async throws {
    try await run { web in
      let products = [ExampleProducts.season, ExampleProducts.coins, ExampleProducts.adFree]
      try await web.page.run("await onside.requestLogin()")
      let calls = products.map { web.buying($0) }.joined(separator: ", ")
      let value = try await web.page.json("Promise.all([\(calls)])")
      #expect(value == "[{},{},{}]")
      for product in products { try await web.hears("\(product) purchased") }
      let finals = try await web.page.json("\(Self.states).filter((state) => state.endsWith(' purchased')).sort()")
      #expect(finals == #"["coins_100 purchased","remove_ads purchased","season_pass purchased"]"#)
    }
  }

  @Test("QUE-12: finishing a payment in flight does nothing; finishing a final one removes it at once")
  func finish() async throws {
    try await run { web in
      let pay = Latch()
      web.device.user.next(.payment) { visit in
        try await pay.passed()
        return try await visit.pay()
      }
      let value = try await web.page.json(web.buying(ExampleProducts.coins))
      #expect(value == "{}")
      try await web.hears("coins_100 purchasing")
      _ = try await web.device.user.shown(.payment)
      let finishing = "onside.getTransactions().then(([{ id }]) => onside.finishTransaction(id))"
      let secondValue = try await web.page.json("outcome(\(finishing))")
      #expect(secondValue == "{}")
      let thirdValue = try await web.page.json("onside.getTransactions().then((all) => all.length)")
      #expect(thirdValue == "1")
      pay.open()
      try await web.hears("coins_100 purchased")
      let fourthValue = try await web.page.json(
        "\(finishing).then(() => onside.getTransactions()).then((all) => all.length)")
      #expect(fourthValue == "0")
      try await web.page.until("heard.some(([name]) => name === 'onTransactionsRemoved')")
    }
  }

  @Test("QUE-13: what another device finishes leaves the page; it comes to no page again")
  func finishedElsewhere() async throws {
    try await run { web in
      // No consumable, which would be delivered on one device only (QUE-22).
      try await web.load(ExampleProducts.season)
      try await web.buy(ExampleProducts.season)
      let other = try await web.system.signedInDevice(of: web.device.user)
      try await other.finish(try await other.app.first(.purchased))
      try await web.page.until("onside.getTransactions().then((all) => all.length === 0)")
      try await web.page.reload()
      try await web.page.run("listen('onTransactionsUpdated')")
      try await web.load(ExampleProducts.coins)
      try await web.buy(ExampleProducts.coins)
      let value = try await web.page.json("\(Self.states).filter((state) => state.startsWith('season_pass'))")
      #expect(value == "[]")
    }
  }

  @Test("QUE-14: a logout takes unfinished transactions away; the account's next login brings them back")
  func logout() async throws {
    try await run { web in
      try await web.buy(ExampleProducts.coins)
      try await web.page.run("await onside.logout()")
      try await web.page.until("heard.some(([name]) => name === 'onTransactionsRemoved')")
      let value = try await web.page.json("onside.getTransactions()")
      #expect(value == "[]")
      try await web.page.run("heard.length = 0; await onside.requestLogin()")
      try await web.hears("coins_100 purchased")
      let secondValue = try await web.page.json("onside.getTransactions().then((all) => all.length)")
      #expect(secondValue == "1")
    }
  }

  @Test("QUE-15: a failure says why: the user's cancel, or a screen that cannot be shown")
  func failures() async throws {
    try await run { web in
      web.device.user.next(.payment) { try await $0.cancel() }
      let value = try await web.page.json(web.buying(ExampleProducts.coins))
      #expect(value == "{}")
      try await web.hears("coins_100 failed")
      web.device.user.next(.payment) { _ in throw ScreenPresentationError("there is no display") }
      let secondValue = try await web.page.json(web.buying(ExampleProducts.season))
      #expect(secondValue == "{}")
      try await web.hears("season_pass failed")
      let errors = try await web.page.json("onside.getTransactions().then((all) => all.map((one) => one.error))")
      #expect(errors == #"[{"cancelled":{}},{"presentationFailed":{}}]"#)
    }
  }

  @Test("QUE-16, QUE-17: a purchase from elsewhere arrives by itself, and every delivery says why it comes")
  func reasons() async throws {
    try await run { web in
      try await web.buy(ExampleProducts.adFree)
      let other = try await web.system.signedInDevice(of: web.device.user)
      _ = try await other.buy(ExampleProducts.season)
      try await web.hears("season_pass purchased")
      let reasons = "onside.getTransactions().then((all) => all.map((one) => one.deliveryReason))"
      let value = try await web.page.json(reasons)
      #expect(value == #"["new","elsewhere"]"#)
      try await web.finishAll()
      try await web.page.run("await onside.restoreCompletedTransactions()")
      try await web.hears("remove_ads restored")
      let secondValue = try await web.page.json(reasons)
      #expect(secondValue == #"["restored"]"#)
    }
  }

  @Test("QUE-30: a page buys three in one payment, and is told how many; two of what is no consumable buy nothing")
  func quantity() async throws {
    try await run { web in
      let buy = { (product: String, quantity: Int) in
        "outcome(onside.purchase({ productIdentifier: '\(product)', quantity: \(quantity) }))"
      }
      let refused = try await web.page.json(buy(ExampleProducts.adFree, 2))
      #expect(refused == #"{"code":"invalidArguments","name":"OnsideBridgeError"}"#)
      let value = try await web.page.json(buy(ExampleProducts.coins, 3))
      #expect(value == "{}")
      try await web.hears("coins_100 purchased")
      let quantities = "onside.getTransactions().then((all) => all.map((one) => one.payment.quantity))"
      let secondValue = try await web.page.json(quantities)
      #expect(secondValue == "[3]")
      let total = try await web.device.product(ExampleProducts.coins).price.money.multiplied(by: 3)
      let amounts = try await web.system.sales().map(\.amount)
      #expect(amounts == [total])
    }
  }

  @Test("QUE-18: the app's token comes back as it was given, and one of more than 512 bytes buys nothing")
  func token() async throws {
    try await run { web in
      let token = "user 4711 \u{2028} “e\u{301}” 👩🏽‍🚀 \\\"<&>"
      try await web.page.run(
        "await onside.purchase({ productIdentifier: product, appAccountToken: token })",
        arguments: ["product": ExampleProducts.coins, "token": token])
      try await web.hears("coins_100 purchased")
      let back: String = try await web.page.value("return (await onside.getTransactions())[0].payment.appAccountToken")
      #expect(Array(back.utf8) == Array(token.utf8))
      let long = try await web.page.json(web.buying(ExampleProducts.season, token: String(repeating: "é", count: 257)))
      #expect(long == #"{"code":"invalidArguments","name":"OnsideBridgeError"}"#)
      let value = try await web.page.json("onside.getTransactions().then((all) => all.length)")
      #expect(value == "1")
    }
  }
}

extension Web {
  /// Waits until the page has heard that a product is in a state.
  fileprivate func hears(_ state: String) async throws {
    try await page.until(
      """
      heard.some(([name, all]) => name === 'onTransactionsUpdated' && all.some((one) =>
        `${one.payment.product.productIdentifier} ${one.transactionState}` === '\(state)'))
      """)
  }

  /// Buys a product that was loaded, and pays.
  fileprivate func buy(_ product: String) async throws {
    let value = try await page.json(buying(product))
    #expect(value == "{}")
    try await hears("\(product) purchased")
  }

  /// Finishes everything, and waits until the store knows.
  fileprivate func finishAll() async throws {
    try await page.run(
      """
      for (const { id } of await onside.getTransactions()) await onside.finishTransaction(id);
      await until(async () => (await onside.getTransactions()).length === 0);
      """)
    try await system.finished(try await system.sales().count, of: device.user)
  }
}
