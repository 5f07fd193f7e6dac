import Foundation
import OnsideCommerce
import Testing

@Suite(.timeLimit(.minutes(5))) struct CatalogueTests {
  private static let japan = CountryCode(alpha2: "JP") ?? .unitedStates
  private let euros = Money(minorUnits: 499, currency: .eur)

  private func product(_ id: String, in countries: [CountryCode] = [.netherlands]) -> Product {
    Product(
      id: id, kind: .consumable,
      prices: Dictionary(uniqueKeysWithValues: countries.map { ($0, Money(minorUnits: 499, currency: $0.currency)) }))
  }

  @Test("PRD-1: known and unknown identifiers, each once, in catalogue order")
  func selection() throws {
    let catalogue = try Catalogue(products: ["c", "a", "b"].map { product($0) })
    let answer = catalogue.select(["b", "x", "c", "b", "w", "x"], in: .netherlands)
    #expect(answer.products.map(\.id) == ["c", "b"])
    #expect(answer.invalidIdentifiers == ["w", "x"])
  }

  @Test("PRD-2: nothing asked, nothing given")
  func empty() throws {
    let answer = try Catalogue(products: [product("a")]).select([], in: .netherlands)
    #expect(answer.products.isEmpty)
    #expect(answer.invalidIdentifiers.isEmpty)
  }

  @Test("PRD-7: a product without a price in the country is an invalid identifier there")
  func availability() throws {
    let catalogue = try Catalogue(products: [product("a"), product("b", in: [.netherlands, Self.japan])])
    let answer = catalogue.select(["a", "b"], in: Self.japan)
    #expect(answer.products.map(\.id) == ["b"])
    #expect(answer.invalidIdentifiers == ["a"])
    #expect(answer.products.first?.price(in: Self.japan)?.currency.code == "JPY")
  }

  @Test("a product twice is refused")
  func duplicates() {
    #expect(throws: CatalogueError.duplicateProduct("a")) {
      try Catalogue(products: [product("a"), product("b"), product("a")])
    }
  }

  @Test("products are found by identifier")
  func lookup() throws {
    let catalogue = try Catalogue(products: [product("a"), product("b")])
    #expect(catalogue["b"]?.id == "b")
    #expect(catalogue["B"] == nil)
  }

  @Test("a catalogue survives JSON, and JSON with a duplicate is refused")
  func json() throws {
    let catalogue = try Catalogue(products: [product("a"), product("b")], defaultLanguage: "nl")
    let data = try JSONEncoder().encode(catalogue)
    let again = try JSONDecoder().decode(Catalogue.self, from: data)
    #expect(again == catalogue)
    #expect(again["b"]?.id == "b")
    let twice = String(decoding: data, as: UTF8.self).replacingOccurrences(of: #""id":"b""#, with: #""id":"a""#)
    #expect(throws: CatalogueError.duplicateProduct("a")) {
      try JSONDecoder().decode(Catalogue.self, from: Data(twice.utf8))
    }
  }

  @Test("PRD-9: a free trial costs nothing where the product is sold; other offers need their own price there")
  func offers() throws {
    let trial = Offer(id: "trial", kind: .introductory, mode: .freeTrial, period: .oneWeek)
    let half = Offer(
      id: "half", kind: .promotional, mode: .payUpFront, period: .oneYear, prices: [.netherlands: euros])
    var pro = product("pro", in: [.netherlands, Self.japan])
    pro.subscription = Subscription(groupID: "1", groupName: "Pro", period: .oneYear, offers: [half, trial])
    #expect(pro.subscription?.introductoryOffer == trial)
    #expect(pro.subscription?.promotionalOffer == half)
    #expect(pro.price(of: trial, in: Self.japan) == .zero(Self.japan.currency))
    #expect(pro.price(of: trial, in: .unitedStates) == nil)
    #expect(pro.price(of: half, in: .netherlands) == euros)
    #expect(pro.price(of: half, in: Self.japan) == nil)
  }
}
