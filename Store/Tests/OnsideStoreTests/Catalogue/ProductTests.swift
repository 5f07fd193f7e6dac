import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreSales
@testable import StoreWeb

@Suite("Products", .timeLimit(.minutes(5)))
struct ProductTests {
  private func get(
    _ client: any TestClientProtocol, query: String, app: String? = "io.example.lumen"
  ) async throws -> TestResponse {
    var headers: HTTPFields = [:]
    headers[.onsideApp] = app
    return try await client.execute(uri: "/v1/products\(query)", method: .get, headers: headers) { $0 }
  }

  private func products(_ client: any TestClientProtocol, query: String) async throws -> ProductsMessage {
    let answer = try await get(client, query: query)
    #expect(answer.status == .ok)
    return try answer.message(ProductsMessage.self)
  }

  @Test("PRD-1: known and unknown identifiers give both lists, without duplicates, in catalogue order")
  func both() async throws {
    try await TestStore().shop { shopper in
      let answer = try await products(
        shopper.client, query: "?id=pro&id=x&id=coins&id=x&id=coins&id=a.b-c_d&country=NL")
      #expect(answer.products.map(\.id) == ["coins", "pro"])
      #expect(answer.invalidProductIDs == ["a.b-c_d", "x"])
    }
  }

  @Test("PRD-2: no identifiers give an empty answer")
  func none() async throws {
    try await TestStore().shop { shopper in
      let answer = try await products(shopper.client, query: "")
      #expect(answer.products.isEmpty)
      #expect(answer.invalidProductIDs.isEmpty)
    }
  }

  @Test("PRD-5: an app that is not registered is 404; no app at all is 400")
  func unknownApp() async throws {
    try await TestStore().shop { shopper in
      let unknown = try await get(shopper.client, query: "?id=coins", app: "io.example.other")
      #expect(unknown.status == .notFound)
      let code = try unknown.problem().code
      #expect(code == .appNotRegistered)
      let secondCode = try await get(shopper.client, query: "?id=coins", app: nil).problem().code
      #expect(secondCode == .invalidRequest)
    }
  }

  @Test(
    "PRD-1: a malformed identifier is listed as invalid",
    arguments: [("", ""), ("%20", " "), ("a%2Fb", "a/b"), ("%C3%A9", "é"), ("a%00", "a\0")])
  func malformed(query: String, id: String) async throws {
    try await TestStore().shop { shopper in
      let answer = try await products(shopper.client, query: "?id=coins&id=\(query)&country=NL")
      #expect(answer.products.map(\.id) == ["coins"])
      #expect(answer.invalidProductIDs == [id])
    }
  }

  @Test("PRD-5: a country that is none, and more than 200 identifiers, are 400")
  func badRequest() async throws {
    try await TestStore().shop { shopper in
      for country in ["XX", "nl", "NLD", ""] {
        let answer = try await get(shopper.client, query: "?id=coins&country=\(country)")
        let code = try answer.problem().code
        #expect(code == .invalidRequest)
      }
      let ids = (0..<201).map { "id=p\($0)" }.joined(separator: "&")
      let secondCode = try await get(shopper.client, query: "?\(ids)").problem().code
      #expect(secondCode == .invalidRequest)
      let actualProducts = try await products(shopper.client, query: "?" + ids.dropLast(8)).products
      #expect(actualProducts.isEmpty)
    }
  }

  @Test(
    "PRD-6: prices are exact and written as the storefront writes them",
    arguments: [
      ("NL", "nl", 99, "EUR", "0,99"), ("JP", "ja", 120, "JPY", "120"), ("KW", "en", 1500, "KWD", "1.500"),
      ("CL", "en", 12345, "CLF", "2345"),
    ])
  func prices(country: String, language: String, amount: Int64, currency: String, part: String) async throws {
    try await TestStore().shop { shopper in
      let answer = try await products(shopper.client, query: "?id=coins&country=\(country)&language=\(language)")
      let price = try #require(answer.products.first?.price)
      #expect(price.amount == amount)
      #expect(price.currency.code == currency)
      #expect(price.formatted.contains(part), "got \(price.formatted)")
    }
  }

  @Test("PRD-7: without an account the country asked for counts, then the app's, then the store's")
  func region() async throws {
    try await TestStore().shop { shopper in
      let amounts = try await products(shopper.client, query: "?id=remove_ads&country=DE").products.map(\.price.amount)
      #expect(amounts == [449])
      let invalidProductIDs = try await products(shopper.client, query: "?id=remove_ads&country=JP").invalidProductIDs
      #expect(invalidProductIDs == ["remove_ads"])
      let actualCountry = try await products(shopper.client, query: "?id=remove_ads").country
      #expect(actualCountry == .netherlands)
      var app = TestShop.app
      app.defaultCountry = try TestShop.country("DE")
      try await shopper.store.core.apps.register(app)
      try await shopper.store.core.reload()
      let alpha2 = try await products(shopper.client, query: "?id=remove_ads").country.alpha2
      #expect(alpha2 == "DE")
    }
  }

  @Test("STF-1: with an account its region counts, whatever is asked for")
  func accountRegion() async throws {
    try await TestStore().shop(country: "DE") { shopper in
      let answer = try await shopper.get("/v1/products?id=remove_ads&country=NL").message(ProductsMessage.self)
      #expect(answer.country.alpha2 == "DE")
      #expect(answer.products.map(\.price.amount) == [449])
    }
  }

  @Test(
    "PRD-8: texts come in the best match of the languages, else in the store's default",
    arguments: [("de", "Münzen"), ("fr,de-AT,en", "Münzen"), ("fr", "Coins"), ("", "Coins"), ("%00,<script>", "Coins")])
  func languages(list: String, title: String) async throws {
    try await TestStore().shop { shopper in
      let answer = try await products(shopper.client, query: "?id=coins&country=NL&language=\(list)")
      #expect(answer.products.map(\.title) == [title])
    }
  }

  @Test("A changed catalogue is answered at once, here and in another process")
  func changes() async throws {
    try await TestStore().shop { shopper in
      let query = "?id=coins&country=NL"
      let amounts = try await products(shopper.client, query: query).products.map(\.price.amount)
      #expect(amounts == [99])
      let secondAmounts = try await products(shopper.client, query: query).products.map(\.price.amount)
      #expect(secondAmounts == [99])
      try await shopper.store.raisePrice(of: "coins", to: 199)
      let thirdAmounts = try await products(shopper.client, query: query).products.map(\.price.amount)
      #expect(thirdAmounts == [199])
      let tool = try await TestStore(in: shopper.store.folder, clock: shopper.store.clock)
      try await tool.raisePrice(of: "coins", to: 299)
      try await shopper.store.core.reload()
      let fourthAmounts = try await products(shopper.client, query: query).products.map(\.price.amount)
      #expect(fourthAmounts == [299])
    }
  }

  @Test("STO-5: remembered answers are bounded, in number and in bytes")
  func cacheBound() {
    let cache = AnswerCache(countLimit: 100, byteLimit: 10_000)
    for number in 0..<10_000 {
      cache.store(ByteBuffer(repeating: 1, count: 150), for: "question \(number)", revision: 0)
    }
    #expect(cache.count <= 140)
    #expect(cache.answer(to: "question 9999")?.readableBytes == 150)
    cache.removeAll()
    cache.store(ByteBuffer(), for: "stale", revision: 0)
    #expect(cache.count == 0)
  }
}
