public import Foundation

/// What a `.storekit` file says: the products of an app, and how its test store behaves.
public struct StoreKitConfiguration: Sendable, Hashable {
  /// The format of the file; 3, 4 and 5 are known.
  public let formatVersion: Int
  /// The products in the order of the file: one-time products, non-renewing subscriptions, subscription groups.
  ///
  /// The file has one price for each: that of the settings' storefront, in the currency of that country.
  public let products: [Product]
  /// How the test store behaves.
  public let settings: StoreKitSettings
  /// What was left out, by JSON path and with the reason where it is not merely unknown: `products[2].foo`,
  /// `products[3].displayPrice: expected …, got … (line 14)`.
  public let ignored: [String]
  /// The entries that were meant to be sold and are not, because they are broken; they are named in `ignored`, too.
  /// Empty unless ``decode(_:path:skippingBroken:)`` was asked to skip them.
  public let brokenProducts: [StoreKitBrokenProduct]

  /// A configuration without a file, of format 4.
  public init(products: [Product], settings: StoreKitSettings = StoreKitSettings()) {
    self.init(formatVersion: 4, products: products, settings: settings, ignored: [], brokenProducts: [])
  }

  init(
    formatVersion: Int, products: [Product], settings: StoreKitSettings, ignored: [String],
    brokenProducts: [StoreKitBrokenProduct]
  ) {
    self.formatVersion = formatVersion
    self.products = products
    self.settings = settings
    self.ignored = ignored
    self.brokenProducts = brokenProducts
  }

  /// Reads a file as Xcode writes it.
  ///
  /// Parts that are not known are left out and named in ``ignored``. A product that cannot be sold as the file says
  /// (its identifier, type, price, period or introductory offer), an unknown storefront and an unknown format are
  /// broken.
  ///
  /// ```swift
  /// let shop = try StoreKitConfiguration.decode(Data(contentsOf: file), path: file.path)
  /// // throws: Shop.storekit:12:24: expected products[1].displayPrice: a price such as "4.99", got "-1"
  /// ```
  ///
  /// - Parameters:
  ///   - path: the file's name in errors.
  ///   - skippingBroken: leaves broken entries out, and lists them in ``brokenProducts``, instead of throwing.
  /// - Throws: a ``StoreKitFileError`` with line and column, for a text that is no JSON or no such file, and for the
  ///   first broken entry.
  public static func decode(
    _ data: Data, path: String, skippingBroken: Bool = false
  ) throws(StoreKitFileError) -> StoreKitConfiguration {
    let bytes = [UInt8](data)
    let root: JSONNode
    do { root = try JSONParser.parse(bytes) } catch { throw StoreKitFileError(path: path, bytes: bytes, error) }
    var reader = StoreKitFileReader(bytes: bytes, path: path)
    let configuration: StoreKitConfiguration
    do { configuration = try reader.configuration(root) } catch {
      throw StoreKitFileError(path: path, bytes: bytes, error)
    }
    if !skippingBroken, let broken = configuration.brokenProducts.first { throw broken.error }
    return configuration
  }

  /// What the test store sells.
  ///
  /// A product that the table names is sold exactly in the table's countries; every other one in the settings'
  /// storefront alone. There is no price, and so no sale, anywhere else.
  public func catalogue(prices table: PriceTable? = nil) -> Catalogue {
    Catalogue(
      keepingFirstOf: products.map { table?.priced($0) ?? $0 }, defaultLanguage: settings.language)
  }
}

/// A product of a `.storekit` file that cannot be sold as the file says.
public struct StoreKitBrokenProduct: Sendable, Hashable {
  /// Where, what was expected and what came.
  public let error: StoreKitFileError
  /// The product, when only its price or that of an offer is broken: it is among the products, and a ``PriceTable`` may
  /// have prices for it. Nil for everything else that is broken.
  public let unpricedProduct: String?
}
