import ConformanceTable
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import OnsideStore
import StoreSales
import Testing

@MainActor
@Suite("Products", .serialized, .timeLimit(.minutes(5)))
struct ProductsTests {
  private static let products = FaultProxy.Traffic.call(.products)

  @Test("PRD-1: known and unknown identifiers come in one response, each once, in the catalogue's order")
  func knownAndUnknown() async throws {
    try await TestedSystem.run { system in
      let device = try await system.device(of: system.user())
      let asked: Set = [
        ExampleProducts.yearly, ExampleProducts.coins, ExampleProducts.monthly, ExampleProducts.adFree, "no_such",
        "another",
      ]
      let response = try await device.client.products(for: asked)
      let order = try ExampleProducts.catalogue().products.map(\.id).filter(asked.contains)
      #expect(response.products.map(\.productIdentifier) == order)
      #expect(response.products.count == 4)
      #expect(response.invalidProductIdentifiers.sorted() == ["another", "no_such"])
    }
  }

  /// Well-formed ones that are not sold, malformed ones, and ones that look like those of the catalogue.
  private static let oddIdentifiers = [
    "", " ", "no such", " coins_100", "coins_100 ", "coins_100\n", "coins_100\0", "Coins_100", "COINS_100", "coins-100",
    "coins_100.", "coins_10\u{660}", "\u{FEFF}coins_100", "coins\u{200B}_100", "pro_monthl\u{443}", "a/b", "a?b",
    "a&id=b",
    "a%20b", "a+b", "a,b", "..", "%00", "é", "日本", "👍", "pro_\u{212A}", "<b>", "\"", "\\",
    String(repeating: "x", count: 255), String(repeating: "x", count: 256), String(repeating: "x", count: 100_000),
  ]

  @Test("PRD-1: malformed identifiers are listed as invalid, on a .storekit file as on a store over HTTP")
  func oddIdentifiers() async throws {
    try await TestedSystem.run { system in
      let device = try await system.device(of: system.user())
      let response = try await device.client.products(for: Set(Self.oddIdentifiers).union([ExampleProducts.coins]))
      #expect(response.products.map(\.productIdentifier) == [ExampleProducts.coins])
      #expect(response.invalidProductIdentifiers == Self.oddIdentifiers.sorted())
      let alone = try await device.client.products(for: ["no such"])
      #expect(alone == OnsideProductsResponse(products: [], invalidProductIdentifiers: ["no such"]))
    }
  }

  @Test("PRD-1: hundreds of identifiers are asked for in parts, and come as one response")
  func many() async throws {
    try await TestedSystem.run { system in
      let device = try await system.device(of: system.user())
      let unknown = Set((0..<350).map { "no_such_\($0)" })
      let response = try await device.client.products(
        for: unknown.union([ExampleProducts.coins, ExampleProducts.adFree]))
      #expect(Set(response.products.map(\.productIdentifier)) == [ExampleProducts.coins, ExampleProducts.adFree])
      #expect(Set(response.invalidProductIdentifiers) == unknown)
      #expect(response.invalidProductIdentifiers.count == unknown.count)
      if system.isOverHTTP { #expect(system.network.count(Self.products) > 1) }
    }
  }

  @Test("PRD-2: an empty set gives an empty response without the network")
  func empty() async throws {
    try await TestedSystem.run { system in
      let device = try await system.device(of: system.user())
      system.goOffline()
      let response = try await device.client.products(for: [])
      #expect(response == OnsideProductsResponse(products: [], invalidProductIdentifiers: []))
      if system.isOverHTTP { #expect(system.network.count(.sdk) == 0) }
    }
  }

  @Test("PRD-3: a request is told its response and its end, or its failure alone")
  func oneEnd() async throws {
    try await TestedSystem.run { system in
      let device = try await system.device(of: system.user())
      let (good, bad) = (ProductsListener(), ProductsListener())
      let request = device.client.makeProductsRequest(productIdentifiers: [ExampleProducts.coins])
      request.delegate = good
      request.start()
      try await good.ended()
      system.goOffline()
      let failing = device.client.makeProductsRequest(productIdentifiers: [ExampleProducts.coins])
      failing.delegate = bad
      failing.start()
      try await bad.ended()
      #expect(good.heard == [.received, .finished])
      #expect(bad.heard == [.failed(.connectionError)])
    }
  }

  @Test(
    "PRD-4: stop in flight is told once; a second start and a late stop do nothing; a dropped request is silent",
    .columns(.store, because: "there is no network to disturb"))
  func stopping() async throws {
    try await TestedSystem.run { system in
      let device = try await system.device(of: system.user())
      let answer = Latch()
      system.network.disturb(Self.products, with: .hold(answer))
      let (stopped, dropped, late) = (ProductsListener(), ProductsListener(), ProductsListener())
      let request = device.client.makeProductsRequest(productIdentifiers: [ExampleProducts.coins])
      request.delegate = stopped
      request.start()
      request.start()
      try await system.network.until(Self.products, made: 1)
      var doomed: (any OnsideProductsRequest)? = device.client.makeProductsRequest(productIdentifiers: [
        ExampleProducts.adFree
      ])
      doomed?.delegate = dropped
      doomed?.start()
      try await system.network.until(Self.products, made: 2)
      doomed = nil
      request.stop()
      request.stop()
      #expect(stopped.heard == [.failed(.cancelled)])
      answer.open()
      let last = device.client.makeProductsRequest(productIdentifiers: [ExampleProducts.coins])
      last.delegate = late
      last.start()
      try await late.ended()
      last.stop()
      last.start()
      _ = try await device.product(ExampleProducts.coins)
      #expect(late.heard == [.received, .finished])
      #expect(stopped.heard == [.failed(.cancelled)])
      #expect(dropped.heard.isEmpty)
      #expect(system.network.count(Self.products) == 4)
    }
  }

  @Test(
    "PRD-5: an unknown app, a network that fails and a store that fails have their errors",
    .columns(.store, because: "there is no network to disturb"))
  func errors() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let client = try await system.device(of: user).client
      let stranger = try await system.device(of: user) { $0.app = "io.example.unknown" }.client
      await #expect(throws: OnsideProductsRequestError.appNotRegistered) {
        try await stranger.products(for: [ExampleProducts.coins])
      }
      let faults: [(FaultProxy.Fault, OnsideProductsRequestError)] = [
        (.refuse, .connectionError), (.loseAnswer, .connectionError), (.answer(500, ""), .serviceUnavailable),
        (.answer(503, "{}"), .serviceUnavailable), (.answer(200, "<html>"), .connectionError),
        (.answer(302, ""), .connectionError), (.answer(418, ""), .connectionError),
      ]
      for (fault, expected) in faults {
        system.network.disturb(Self.products, with: fault)
        await #expect(throws: expected, "\(fault)") { try await client.products(for: [ExampleProducts.coins]) }
        system.network.heal()
      }
      await system.closeStore()
      await #expect(throws: OnsideProductsRequestError.connectionError) {
        try await client.products(for: [ExampleProducts.coins])
      }
      try await system.openStore()
      let productCount = try await client.products(for: [ExampleProducts.coins]).products.count
      #expect(productCount == 1)
    }
  }

  @Test(
    "PRD-5: a request without an answer ends within its deadline",
    .columns(.store, because: "there is no network to disturb"))
  func deadline() async throws {
    try await TestedSystem.run { system in
      let slept = Observed<[Double]>([])
      let device = try await system.device(of: system.user()) {
        $0.sleep = { seconds in slept.change { $0.append(seconds) } }
      }
      let never = Latch()
      system.network.disturb(Self.products, with: .hold(never))
      await #expect(throws: OnsideProductsRequestError.connectionError) {
        try await device.client.products(for: [ExampleProducts.coins])
      }
      #expect(slept.value.contains(15))
    }
  }

  @Test(
    "PRD-6: prices are exact and formatted for the storefront, whatever the currency's decimals",
    .columns(.store, because: "the file has one price for all regions"),
    arguments: [("NL", "1.99", "EUR"), ("JP", "300", "JPY"), ("KW", "0.6", "KWD"), ("CL", "0.1234", "CLF")])
  func prices(country: String, amount: String, currency: String) async throws {
    try await TestedSystem.run { system in
      try await system.change(ExampleProducts.coins) { product in
        guard let chile = CountryCode(alpha2: "CL"), let unit = Currency(code: "CLF") else { return }
        product.prices[chile] = Money(minorUnits: 1234, currency: unit)
      }
      let device = try await system.device(of: system.user()) { $0.region = country }
      let price = try await device.product(ExampleProducts.coins).price
      #expect(price.currencyCode == currency)
      #expect(price.decimalValue == Decimal(string: amount))
      #expect(price.value == Double(amount))
      let digits = price.formatted.filter(\.isNumber)
      let expected = ["EUR": "199", "JPY": "300", "KWD": "0600", "CLF": "01234"]
      #expect(digits == expected[currency], "\(price.formatted)")
    }
  }

  @Test(
    "PRD-7: price and availability are those of the region; what is not sold there is an invalid identifier",
    .columns(.store, because: "the file has one price for all regions, and sells everywhere"))
  func availability() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let japan = try await system.device(of: user) { $0.region = "JP" }
      let response = try await japan.client.products(for: [ExampleProducts.season, ExampleProducts.monthly])
      #expect(response.products.map(\.productIdentifier) == [ExampleProducts.monthly])
      #expect(response.invalidProductIdentifiers == [ExampleProducts.season])
      let britain = try await system.device(of: user) { $0.region = "GB" }
      let decimalValue = try await britain.product(ExampleProducts.season).price.decimalValue
      #expect(decimalValue == Decimal(string: "8.99"))
      let rest = try Catalogue(
        products: ExampleProducts.catalogue().products.filter { $0.id != ExampleProducts.season })
      try await system.operate { try await $0.catalogue.replace(rest, of: TestedSystem.app) }
      let later = try await britain.client.products(for: [ExampleProducts.season])
      #expect(later.invalidProductIdentifiers == [ExampleProducts.season])
    }
  }

  @Test(
    "PRD-8: texts come in the best match of the user's languages, else in the store's default",
    .columns(.store, because: "the language is the file's `_locale` (LOC-2)"),
    arguments: [
      (["de-AT"], "100 Münzen"), (["nl-BE", "de"], "100 munten"), (["xx", "fr-CA"], "100 pièces"),
      (["en-GB"], "100 coins"),
      (["xx"], "100 coins"), ([], "100 coins"),
    ])
  func languages(preferred: [String], title: String) async throws {
    try await TestedSystem.run { system in
      let device = try await system.device(of: system.user()) { $0.languages = preferred }
      let localizedTitle = try await device.product(ExampleProducts.coins).localizedTitle
      #expect(localizedTitle == title)
    }
  }
}
