import ConformanceTable
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import OnsideStore
import StoreAccounts
import Testing

@MainActor
@Suite("Storefronts", .serialized, .timeLimit(.minutes(5)))
struct StorefrontTests {
  @Test("STF-1: logged in, the account's region counts and the hint is not asked")
  func account() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      device.app.hint = "JP"
      let asked = device.app.hintsAsked
      let currencyCode = try await device.product(ExampleProducts.coins).price.currencyCode
      #expect(currencyCode == "EUR")
      #expect(device.app.hintsAsked == asked)
    }
  }

  @Test(
    "STF-2: logged out, the hint counts, else the system's region, else the store's default",
    .columns(.store, because: "the file says the region, for everybody"))
  func loggedOut() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let hinted = try await system.device(of: user) { $0.region = "GB" }
      hinted.app.hint = "JP"
      let currencyCode = try await hinted.product(ExampleProducts.coins).price.currencyCode
      #expect(currencyCode == "JPY")
      hinted.app.hint = nil
      let secondCurrencyCode = try await hinted.product(ExampleProducts.coins).price.currencyCode
      #expect(secondCurrencyCode == "GBP")
      let nowhere = try await system.device(of: user) { $0.region = nil }
      let app = App(
        id: TestedSystem.app, name: "Lumen", redirectURIs: [TestedSystem.redirect],
        defaultCountry: CountryCode(alpha2: "US"))
      try await system.operate { try await $0.apps.register(app) }
      let thirdCurrencyCode = try await nowhere.product(ExampleProducts.coins).price.currencyCode
      #expect(thirdCurrencyCode == "USD")
      #expect(user.count(.login) == 0)
    }
  }

  @Test(
    "STF-2: the region is resolved when a request starts, not when it is made",
    .columns(.store, because: "the file says the region, for everybody"))
  func resolvedAtStart() async throws {
    try await TestedSystem.run { system in
      let device = try await system.device(of: system.user())
      let request = device.client.makeProductsRequest(productIdentifiers: [ExampleProducts.coins])
      let waiter = ProductsListener()
      request.delegate = waiter
      device.app.hint = "KW"
      request.start()
      try await waiter.ended()
      #expect(waiter.response?.products.first?.price.currencyCode == "KWD")
    }
  }

  @Test(
    "STF-3: a hint is trimmed and upper-cased; one that names no country is ignored with one warning",
    .columns(.store, because: "the file says the region, for everybody"))
  func hints() async throws {
    try await TestedSystem.run { system in
      let device = try await system.device(of: system.user()) { $0.region = "GB" }
      device.app.hint = " jp\n"
      let currencyCode = try await device.product(ExampleProducts.coins).price.currencyCode
      #expect(currencyCode == "JPY")
      #expect(device.warnings.isEmpty)
      device.app.hint = "Japan"
      let secondCurrencyCode = try await device.product(ExampleProducts.coins).price.currencyCode
      #expect(secondCurrencyCode == "GBP")
      let thirdCurrencyCode = try await device.product(ExampleProducts.coins).price.currencyCode
      #expect(thirdCurrencyCode == "GBP")
      #expect(device.warnings.count == 1)
      #expect(device.warnings.first?.contains("Japan") == true)
    }
  }

  @Test("STF-4: the change is told on login, move and logout, and on nothing else")
  func changes() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.signedInDevice(of: user)
      try await device.finish(try await device.buy(ExampleProducts.coins))
      if system.isOverHTTP {
        device.advance(seconds: 700)
        _ = try await device.client.signedInAppsHistory()
      }
      try await system.move(user, to: "DE")
      try await device.app.until { $0.storefronts == ["NL", "DE"] }
      _ = try await device.buy(ExampleProducts.coins)
      device.client.logout()
      #expect(device.app.storefronts == ["NL", "DE", nil])
      try await device.client.login()
      #expect(device.app.storefronts == ["NL", "DE", nil, "DE"])
    }
  }

  @Test("STF-5: the id is opaque and another one in the next launch; the country is alpha-2")
  func identifiers() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let first = try #require(device.queue.storefront)
      try await device.restart()
      let second = try #require(device.queue.storefront)
      #expect(first.countryCode == "NL" && second.countryCode == "NL")
      #expect(first.id != second.id)
      // Random characters may spell a country; the SDK's own names for foreign storefronts end with it.
      #expect(!first.id.hasSuffix("-NL") && !first.id.isEmpty)
      if system.isOverHTTP {
        let account = try await system.account(of: device.user).id.description
        #expect(!first.id.contains(account))
      }
    }
  }
}
