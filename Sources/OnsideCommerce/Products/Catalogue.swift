/// Everything that an app sells, in the order in which it is shown.
public struct Catalogue: Sendable, Hashable {
  /// The products in order; no identifier is there twice.
  public let products: [Product]
  /// The language of texts when no language of the reader is there (a BCP 47 tag).
  public let defaultLanguage: String
  private let positions: [String: Int]

  /// A catalogue of products; throws `duplicateProduct` when an identifier is there twice.
  public init(products: [Product], defaultLanguage: String = "en-US") throws(CatalogueError) {
    self.init(keepingFirstOf: products, defaultLanguage: defaultLanguage)
    guard self.products.count == products.count else {
      var seen: Set<String> = []
      throw .duplicateProduct(products.first { !seen.insert($0.id).inserted }?.id ?? "")
    }
  }

  /// A catalogue of products of which only the first with each identifier counts.
  init(keepingFirstOf products: [Product], defaultLanguage: String) {
    var kept: [Product] = []
    var positions: [String: Int] = [:]
    for product in products where positions[product.id] == nil {
      positions[product.id] = kept.count
      kept.append(product)
    }
    self.products = kept
    self.positions = positions
    self.defaultLanguage = defaultLanguage
  }

  /// The product with an identifier.
  public subscript(id: String) -> Product? { positions[id].map { products[$0] } }

  /// Answers a request for products in a country: what is sold there in catalogue order, and every other identifier.
  public func select(_ ids: some Sequence<String>, in country: CountryCode) -> Selection {
    var found: Set<Int> = []
    var invalid: Set<String> = []
    for id in ids {
      if Product.isIdentifier(id), let position = positions[id], products[position].price(in: country) != nil {
        found.insert(position)
      } else {
        invalid.insert(id)
      }
    }
    return Selection(products: found.sorted().map { products[$0] }, invalidIdentifiers: invalid.sorted())
  }

  /// What a request for products gave.
  public struct Selection: Sendable, Hashable {
    /// The products sold, in catalogue order, each once.
    public let products: [Product]
    /// The identifiers that are malformed, unknown or not sold in the country, each once, sorted.
    public let invalidIdentifiers: [String]
  }
}

/// Why a catalogue could not be made.
public enum CatalogueError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Two products have this identifier; rename one of them.
  case duplicateProduct(String)

  /// What was expected and what came.
  public var description: String {
    switch self {
    case .duplicateProduct(let id): "expected every product identifier once, got \"\(id)\" twice; rename one of them"
    }
  }
}

extension Catalogue: Codable {
  private enum CodingKeys: String, CodingKey {
    case products
    case defaultLanguage = "default_language"
  }

  /// Reads products and default language; a duplicate product is refused.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      products: container.decode([Product].self, forKey: .products),
      defaultLanguage: container.decode(String.self, forKey: .defaultLanguage))
  }

  /// Writes products and default language.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(products, forKey: .products)
    try container.encode(defaultLanguage, forKey: .defaultLanguage)
  }
}
