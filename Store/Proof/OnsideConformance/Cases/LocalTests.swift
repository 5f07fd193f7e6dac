import ConformanceTable
import Foundation
import OnsideCommerce
import OnsideKit
import StoreTestSupport
import Testing

/// What a store on a `.storekit` file promises beyond being a store.
@MainActor
@Suite(
  "Local testing", .serialized, .columns(.local, because: "it is about `.storekit` files"), .timeLimit(.minutes(5)))
struct LocalTests {
  @Test("LOC-1: everything in the example file is sold")
  func loads() async throws {
    try await TestedSystem.run { system in
      let device = try await system.device(of: system.user())
      let all: Set = [
        ExampleProducts.coins, ExampleProducts.adFree, ExampleProducts.season, ExampleProducts.monthly,
        ExampleProducts.yearly,
      ]
      let products = try await device.client.products(for: all).products
      #expect(Set(products.map(\.productIdentifier)) == all)
      #expect(Set(products.map(\.productType)).count == 4)
    }
  }

  @Test("LOC-2: the settings give region, currency, language, failures, approval and whether there are screens")
  func settings() async throws {
    try await TestedSystem.run { system in
      let local = try #require(system.local)
      local.settings.storefront = try #require(CountryCode(alpha3: "GBR"))
      local.settings.language = "de-DE"
      let device = try await system.signedInDevice(of: system.user())
      #expect(device.queue.storefront?.countryCode == "GB")
      let coins = try await device.product(ExampleProducts.coins)
      #expect(coins.price.currencyCode == "GBP")
      #expect(coins.localizedTitle == "100 Münzen")

      local.settings.askToBuyEnabled = true
      local.settings.disableDialogs = true
      try await device.add(ExampleProducts.coins)
      let waiting = try await device.app.first(.purchasing)
      #expect(device.user.count(.payment) == 0)
      try await NamedDeadline.wait(for: "a transaction that waits for its approval", every: .milliseconds(1)) {
        local.transactions().map(\.state) == [.waiting]
      }
      #expect(local.approve(waiting.id))
      let id = try await device.app.first(.purchased).id
      #expect(id == waiting.id)

      local.settings.askToBuyEnabled = false
      local.settings.failTransactionsEnabled = true
      try await device.add(ExampleProducts.season)
      let productIdentifier = try await device.app.first(.failed).payment.product.productIdentifier
      #expect(productIdentifier == ExampleProducts.season)
    }
  }

  @Test("LOC-3: what was bought is there after a restart, until a reset")
  func persists() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let bought = try await device.buy(ExampleProducts.adFree)
      try await device.restart()
      let id = try await device.app.first(.purchased).id
      #expect(id == bought.id)
      try await device.finish(bought)
      system.local?.reset()
      try await device.app.until { $0.storefronts.contains(nil) }
      try await device.client.login()
      device.restore()
      try await device.app.until { $0.heard.contains(.restoreFinished) }
      #expect(!device.app.updates.contains { $0.transactionState == .restored })
    }
  }

  @Test("LOC-4: two stores of one file in one process do not see each other")
  func independent() async throws {
    try await TestedSystem.run { here in
      try await TestedSystem.run { there in
        let (one, other) = (
          try await here.signedInDevice(of: here.user()), try await there.signedInDevice(of: there.user())
        )
        _ = try await one.buy(ExampleProducts.adFree)
        other.restore()
        try await other.app.until { $0.heard.contains(.restoreFinished) }
        #expect(other.app.updates.isEmpty && there.local?.transactions().isEmpty == true)
      }
    }
  }

  @Test("HIS-2: history and payment methods answer .notSupportedInLocalTesting, logged in or not")
  func notSupported() async throws {
    try await TestedSystem.run { system in
      let device = try await system.device(of: system.user())
      for _ in 0..<2 {
        guard case .failure(.notSupportedInLocalTesting) = device.client.makeSignedInAppsHistoryRequest() else {
          Issue.record("expected .notSupportedInLocalTesting")
          return
        }
        await #expect(throws: OnsidePaymentMethodsManagerError.notSupportedInLocalTesting) {
          try await device.client.managePaymentMethods()
        }
        try await device.client.login()
      }
      #expect(device.user.count(.paymentMethods) == 0)
    }
  }

  @Test(
    "PRD-5: without a connection products fail with connectionError; a failure set for the next request has its error")
  func failures() async throws {
    try await TestedSystem.run { system in
      let device = try await system.device(of: system.user())
      system.goOffline()
      await #expect(throws: OnsideProductsRequestError.connectionError) {
        try await device.product(ExampleProducts.coins)
      }
      system.goOnline()
      let cases: [(LocalStore.Failure, OnsideProductsRequestError)] = [
        (.connection, .connectionError), (.serviceUnavailable, .serviceUnavailable), (.internalError, .internalError),
      ]
      for (failure, error) in cases {
        system.local?.failNext(.loadProducts, with: failure)
        await #expect(throws: error) { try await device.product(ExampleProducts.coins) }
      }
      _ = try await device.product(ExampleProducts.coins)
    }
  }
}
