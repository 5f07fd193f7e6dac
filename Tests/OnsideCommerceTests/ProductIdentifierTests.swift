import Foundation
import Testing

@testable import OnsideCommerce

@Suite("Product identifiers", .timeLimit(.minutes(5)))
struct ProductIdentifierTests {
  static let wellFormed = [
    "a", "coins_100", "Coins_100", "com.example.pro", "remove-ads", "_", ".", "-", "0",
    String(repeating: "x", count: 255),
  ]
  /// Some are canonically equivalent to an ASCII character: the Kelvin sign, U+037E and U+1FEF.
  static let malformed = [
    "", " ", "coins 100", " coins", "coins\n", "coins\0", "a/b", "a?b", "a&b", "a=b", "a%20b", "a+b", "é", "münzen",
    "日本",
    "👍", "pro_\u{212A}", "a\u{37E}", "a\u{1FEF}", "a\u{301}", "a\u{200B}", "\u{FEFF}a", "<b>", "\"", "\\",
    String(repeating: "x", count: 256),
  ]

  @Test("1 to 255 ASCII letters, digits, dots, dashes and underscores are an identifier", arguments: wellFormed)
  func accepts(_ id: String) { #expect(Product.isIdentifier(id)) }

  @Test("every other text is none", arguments: malformed)
  func rejects(_ id: String) { #expect(!Product.isIdentifier(id)) }

  @Test("PRD-7: a catalogue sells no product with a malformed identifier", arguments: malformed)
  func catalogue(_ id: String) throws {
    let netherlands = try #require(CountryCode(alpha2: "NL"))
    let price = [netherlands: Money(minorUnits: 99, currency: .eur)]
    let products = [id, "pro_K"].map { Product(id: $0, kind: .consumable, prices: price) }
    let selection = Catalogue(keepingFirstOf: products, defaultLanguage: "en").select([id], in: netherlands)
    #expect(selection.products.isEmpty)
    #expect(selection.invalidIdentifiers.map { Array($0.utf8) } == [Array(id.utf8)])
  }

  @Test("LOC-6: a .storekit file with a malformed identifier names the line, and the product is not sold")
  func file() throws {
    let text = """
      {"products": [
        {"productID": "coins 100", "type": "Consumable", "displayPrice": "0.99"},
        {"productID": "coins_100", "type": "Consumable", "displayPrice": "0.99"}
      ], "settings": {"_storefront": "NLD"}, "version": {"major": 4, "minor": 0}}
      """
    let file = try StoreKitConfiguration.decode(Data(text.utf8), path: "Shop.storekit", skippingBroken: true)
    #expect(file.products.map(\.id) == ["coins_100"])
    let broken = try #require(file.brokenProducts.first?.error)
    #expect(file.brokenProducts.count == 1)
    #expect(broken.line == 2)
    #expect(broken.expected == "products[0].productID: \(Product.identifierRule)")
  }
}
