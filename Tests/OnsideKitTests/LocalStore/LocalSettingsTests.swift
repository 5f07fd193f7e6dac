import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("Settings in local testing", .timeLimit(.minutes(5)))
struct LocalSettingsTests {
  @Test("LOC-2: _storefront gives region, currency and format; _locale gives the language")
  func regionAndLanguage() async throws {
    let harness = try LocalRig(#""_storefront" : "USA""#, #""_locale" : "nl""#)
    let product = try await harness.product(LocalFile.coins)
    #expect(product.localizedTitle == "100 munten")
    #expect(product.price.currencyCode == "USD" && product.price.decimalValue == Decimal(string: "0.99"))
    #expect(product.price.formatted.hasPrefix("$"))
    try await harness.client.login()
    #expect(harness.queue.storefront?.countryCode == "US")
    await harness.close()
  }

  @Test("LOC-2: a file that has moved moves the account that is logged in, right at the start")
  func movedFile() async throws {
    let first = try LocalRig(keeping: true)
    try await first.client.login()
    await first.close()
    let second = try LocalRig(#""_storefront" : "USA""#, world: first.world, keeping: true)
    #expect(second.queue.storefront?.countryCode == "US")
    await second.close()
  }

  @Test("LOC-2: neither the system's region nor the delegate's hint moves the store")
  func hint() async throws {
    let harness = try LocalRig()
    let delegate = CountryGuess("DE")
    harness.client.delegate = delegate
    let currencyCode = try await harness.product(LocalFile.coins).price.currencyCode
    #expect(currencyCode == "EUR")
    #expect(harness.client.account.provisionalCountry == .netherlands)
    await harness.close()
  }

  @Test("PRD-1, PRD-2: known and unknown identifiers come in one response; an empty set is empty")
  func identifiers() async throws {
    let harness = try LocalRig()
    let response = try await harness.client.products(for: [LocalFile.adFree, "x", LocalFile.coins, LocalFile.season])
    #expect(response.products.map(\.productIdentifier) == [LocalFile.coins, LocalFile.adFree, LocalFile.season])
    #expect(response.invalidProductIdentifiers == ["x"])
    #expect(try await harness.client.products(for: []).products.isEmpty)
    await harness.close()
  }

  @Test("LOC-2: _disableDialogs logs in and buys without a page")
  func withoutDialogs() async throws {
    let harness = try LocalRig(#""_disableDialogs" : true"#)
    _ = try await harness.buy(LocalFile.coins)
    #expect(harness.browser.pages.isEmpty)
    #expect(harness.store.transactions(of: LocalStore.defaultAccount).count == 1)
    await harness.close()
  }

  @Test(
    "LOC-2: a payment that is to fail is declined on its page, and fails once the user gives up",
    arguments: [
      #""_failTransactionsEnabled" : true"#, #""_billingIssuesEnabled" : true"#,
      #""_storeKitErrors" : [ { "current" : { "type" : "generic" }, "enabled" : true, "name" : "Purchase" } ]"#,
    ])
  func fails(setting: String) async throws {
    let harness = try LocalRig(
      setting,
      browser: LocalBrowser { page in
        page.screen == .login
          ? .press("Log in") : page.html.contains("role=\"alert\"") ? .press("Cancel") : .press("Buy")
      })
    try await harness.add(LocalFile.coins)
    let firstError = try await harness.watcher.first(.failed).error
    #expect(firstError == .cancelled)
    #expect(harness.browser.pages(of: .payment).count == 2)
    await harness.close()
  }

  @Test("LOC-2: without dialogs a payment that is to fail fails at once")
  func failsWithoutDialogs() async throws {
    let harness = try LocalRig(#""_disableDialogs" : true"#, #""_failTransactionsEnabled" : true"#)
    try await harness.add(LocalFile.coins)
    let firstError = try await harness.watcher.first(.failed).error
    #expect(firstError == .cancelled)
    await harness.close()
  }

  @Test("LOC-2: _storeKitErrors let products and restores fail; an error that is not enabled does nothing")
  func storeKitErrors() async throws {
    let harness = try LocalRig(
      """
      "_storeKitErrors" : [
        { "current" : { "index" : 3, "type" : "generic" }, "enabled" : true, "name" : "Load Products" },
        { "current" : null, "enabled" : false, "name" : "Purchase" },
        { "current" : { "index" : 0, "type" : "generic" }, "enabled" : true, "name" : "App Store Sync" }
      ]
      """)
    await #expect(throws: OnsideProductsRequestError.serviceUnavailable) {
      try await harness.client.products(for: [LocalFile.coins])
    }
    try await harness.client.login()
    try await harness.queue.restoreCompletedTransactions()
    await harness.watcher.until { $0.heard.contains(.restoreFailed(.serviceUnavailable)) }
    await harness.close()
  }

  @Test("Faults on demand count once each, and a store that is offline answers no call")
  func faults() async throws {
    let harness = try LocalRig()
    harness.store.failNext(.loadProducts, with: .connection, .internalError)
    await #expect(throws: OnsideProductsRequestError.connectionError) {
      try await harness.client.products(for: [LocalFile.coins])
    }
    await #expect(throws: OnsideProductsRequestError.internalError) {
      try await harness.client.products(for: [LocalFile.coins])
    }
    let payment = OnsidePayment(product: try await harness.product(LocalFile.coins))
    harness.store.isOffline = true
    await #expect(throws: OnsideFailure.offline) { try await harness.queue.add(payment) }
    harness.store.isOffline = false
    harness.store.failNext(.purchase, with: .serviceUnavailable)
    try await harness.queue.add(payment)
    _ = try await harness.watcher.first(.purchased)
    #expect(harness.browser.pages(of: .payment).count == 2)
    await harness.close()
  }

  @Test(
    "LOC-2: _askToBuyEnabled keeps a payment purchasing until it is approved or declined", arguments: [true, false])
  func askToBuy(approves: Bool) async throws {
    let harness = try LocalRig(
      #""_askToBuyEnabled" : true"#,
      browser: LocalBrowser { page in
        page.screen == .login ? .press("Log in") : page.html.contains("Approve") ? .press("Leave") : .press("Buy")
      })
    try await harness.add(LocalFile.coins)
    #expect(await eventually { harness.store.transactions().map(\.state) == [.waiting] })
    let id = try #require(harness.store.transactions().first?.id)
    #expect(harness.queue.transactions.map(\.transactionState) == [.purchasing])
    #expect(approves ? harness.store.approve(id) : harness.store.decline(id))
    let firstID = try await harness.watcher.first(approves ? .purchased : .failed).id
    #expect(firstID == id)
    #expect(!harness.store.approve(id) && !harness.store.decline(id))
    await harness.close()
  }

  @Test("LOC-2: the page of a payment that needs approval lets the developer approve it")
  func approvesOnPage() async throws {
    let harness = try LocalRig(#""_askToBuyEnabled" : true"#)
    _ = try await harness.buy(LocalFile.coins)
    #expect(harness.browser.pages(of: .payment).map { $0.html.contains("Waiting for approval") } == [false, true])
    await harness.close()
  }

  @Test("QUE-8: a payment that waits for approval is still waiting after a restart, and goes on when approved")
  func approvedAfterRestart() async throws {
    let first = try LocalRig(#""_askToBuyEnabled" : true"#, #""_disableDialogs" : true"#, keeping: true)
    try await first.add(LocalFile.coins)
    #expect(await eventually { first.store.transactions().map(\.state) == [.waiting] })
    let second = try await first.restart()
    let id = try #require(second.store.transactions().first?.id)
    #expect(await eventually { second.queue.transactions.map(\.id) == [id] })
    #expect(second.store.approve(id))
    let firstID = try await second.watcher.first(.purchased).id
    #expect(firstID == id)
    await second.close()
  }

  @Test("An interrupted purchase waits until what is in its way is settled")
  func interrupted() async throws {
    let harness = try LocalRig(
      browser: LocalBrowser { page in
        page.screen == .login ? .press("Log in") : page.html.contains("Settle") ? .press("Leave") : .press("Buy")
      })
    harness.store.interruptsPurchases = true
    try await harness.add(LocalFile.coins)
    #expect(await eventually { harness.store.transactions().map(\.state) == [.waiting] })
    #expect(harness.store.approve(try #require(harness.store.transactions().first?.id)))
    _ = try await harness.watcher.first(.purchased)
    await harness.close()
  }

  @Test("HIS-2: history and payment methods are not supported, logged in or not, without a page")
  func notSupported() async throws {
    let harness = try LocalRig()
    for _ in 0..<2 {
      guard case .failure(.notSupportedInLocalTesting) = harness.client.makeSignedInAppsHistoryRequest() else {
        Issue.record("expected .notSupportedInLocalTesting")
        return
      }
      await #expect(throws: OnsideSignedInAppsHistoryRequestError.notSupportedInLocalTesting) {
        try await harness.client.signedInAppsHistory()
      }
      await #expect(throws: OnsidePaymentMethodsManagerError.notSupportedInLocalTesting) {
        try await harness.client.managePaymentMethods()
      }
      #expect(harness.browser.pages(of: .paymentMethods).isEmpty)
      try await harness.client.login()
    }
    await harness.close()
  }
}
