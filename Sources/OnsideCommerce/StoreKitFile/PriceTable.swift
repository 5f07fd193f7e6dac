public import Foundation

/// Prices by country for the products of a `.storekit` file, which itself has room for one country.
///
/// As a file it is JSON, with amounts in the currency's smallest unit:
/// ```json
/// {
///   "products": { "remove_ads": { "NL": { "amount": 499, "currency": "EUR" } } },
///   "offers": { "pro_yearly": { "pro_yearly.introductory": { "NL": { "amount": 1999, "currency": "EUR" } } } }
/// }
/// ```
public struct PriceTable: Sendable, Hashable, Codable {
  /// A price by country.
  public typealias Prices = [CountryCode: Money]

  /// By product identifier: the only countries where that product is sold, and its price there.
  public var products: [String: Prices]
  /// By product identifier and offer identifier: where that offer can be had, and the price of one of its periods.
  public var offers: [String: [String: Prices]]

  /// A table of prices.
  public init(products: [String: Prices] = [:], offers: [String: [String: Prices]] = [:]) {
    self.products = products
    self.offers = offers
  }

  /// Reads a file; `path` is for errors only. Throws at the first thing that is not as it should be, a key that is
  /// not known included: a mistake in a price list must not go unnoticed.
  public static func decode(_ data: Data, path: String) throws(StoreKitFileError) -> PriceTable {
    let bytes = [UInt8](data)
    let root: JSONNode
    do { root = try JSONParser.parse(bytes) } catch { throw StoreKitFileError(path: path, bytes: bytes, error) }
    do { return try PriceTable(root) } catch { throw StoreKitFileError(path: path, bytes: bytes, error) }
  }

  /// The product identifiers of the table that a catalogue does not have, sorted: usually misspelt.
  public func unknownProducts(in catalogue: Catalogue) -> [String] {
    Set(products.keys).union(offers.keys).filter { catalogue[$0] == nil }.sorted()
  }

  /// The product with the table's prices instead of its own, where the table has some.
  func priced(_ product: Product) -> Product {
    var product = product
    product.prices = products[product.id] ?? product.prices
    for index in product.subscription?.offers.indices ?? 0..<0 {
      guard let offer = product.subscription?.offers[index], let prices = offers[product.id]?[offer.id] else {
        continue
      }
      product.subscription?.offers[index].prices = prices
    }
    return product
  }
}

extension PriceTable {
  fileprivate init(_ root: JSONNode) throws(JSONObject.Problem) {
    let file = try JSONObject(root, path: "")
    try file.allow(["products", "offers"])
    self.init()
    for (id, node) in try file.members("products") {
      products[id] = try Self.prices(node, path: "products.\(id)")
    }
    for (productID, node) in try file.members("offers") {
      for (offerID, prices) in try JSONObject(node, path: "offers.\(productID)").members {
        offers[productID, default: [:]][offerID] = try Self.prices(prices, path: "offers.\(productID).\(offerID)")
      }
    }
  }

  private static func prices(_ node: JSONNode, path: String) throws(JSONObject.Problem) -> Prices {
    var prices: Prices = [:]
    for (key, node) in try JSONObject(node, path: path).members {
      guard let country = CountryCode(alpha2: key) else {
        throw .init(
          path: path, offset: node.offset, expected: "an ISO 3166-1 alpha-2 country code such as NL",
          found: "\"\(key)\"")
      }
      let entry = try JSONObject(node, path: "\(path).\(key)")
      try entry.allow(["amount", "currency"])
      let currency = try entry.required("currency", expected: "an ISO 4217 code such as \"EUR\"") {
        $0.text.flatMap(Currency.init(code:))
      }
      let amount = try entry.required("amount", expected: "a whole number of the currency's smallest unit, 0 or more") {
        if case .number(let digits) = $0 { Int64(digits).flatMap { $0 >= 0 ? $0 : nil } } else { nil }
      }
      prices[country] = Money(minorUnits: amount, currency: currency)
    }
    return prices
  }
}

extension JSONObject {
  fileprivate func members(_ key: String) throws(Problem) -> [String: JSONNode] {
    guard let node = members[key] else { return [:] }
    return try JSONObject(node, path: key).members
  }

  fileprivate func allow(_ keys: [String]) throws(Problem) {
    guard let (key, node) = members.first(where: { !keys.contains($0.key) }) else { return }
    let known = keys.map { "\"\($0)\"" }.joined(separator: " or ")
    throw Problem(path: path(key), offset: node.offset, expected: "only the keys \(known)", found: "\"\(key)\"")
  }
}
