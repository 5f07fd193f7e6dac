import Foundation
import OnsideCommerce

/// A catalogue file: the products of an app, as JSON or as a .storekit file.
struct CatalogueFile {
  let catalogue: Catalogue
  /// The parts of the file that the store does not use.
  let ignored: [String]
  /// The products that the store cannot sell as the file says: where, what was expected and what came.
  let broken: [String]

  /// Reads a file and the prices that go with it; every error names the file and what was expected.
  static func read(_ path: String, prices: String?) throws -> CatalogueFile {
    let table = try prices.map { try PriceTable.decode(try data($0), path: $0) }
    let file: CatalogueFile
    switch URL(filePath: path).pathExtension.lowercased() {
    case "storekit":
      let configuration = try StoreKitConfiguration.decode(try data(path), path: path, skippingBroken: true)
      let unknown = table?.unknownProducts(in: configuration.catalogue(prices: table)) ?? []
      if !unknown.isEmpty, let prices {
        throw CommandFailure("\(prices): expected products of \(path), got \(unknown.joined(separator: ", "))")
      }
      file = try CatalogueFile(configuration, prices: table)
    case "json":
      guard table == nil else {
        throw CommandFailure("--prices goes with a .storekit file; a catalogue in JSON has its prices in it")
      }
      let data = try data(path)
      try JSONSyntax.check(data, path: path)
      let catalogue = try catalogue(data, at: path)
      let unknown = CatalogueKeys.unknown(in: data)
      guard unknown.isEmpty else { throw CommandFailure(unknown.map { "\(path): \($0)" }.joined(separator: "\n")) }
      file = CatalogueFile(checking: catalogue, path)
    default:
      throw CommandFailure("\(path): expected a file named .storekit or .json")
    }
    if let prices { try file.requireCurrencies(prices) }
    try file.requireKeepable(path)
    return file
  }

  /// The products of a .storekit file that have a price in it or in the table.
  private init(_ configuration: StoreKitConfiguration, prices table: PriceTable?) throws {
    let all = configuration.catalogue(prices: table)
    catalogue = try Catalogue(
      products: all.products.filter { !$0.prices.isEmpty || table?.products[$0.id] != nil },
      defaultLanguage: all.defaultLanguage)
    ignored = configuration.ignored
    broken = configuration.brokenProducts.filter { table?.products[$0.unpricedProduct ?? ""] == nil }
      .map(\.error.description)
  }

  private static func data(_ path: String) throws -> Data {
    do { return try Data(contentsOf: URL(filePath: path)) } catch {
      let reason = FileManager.default.fileExists(atPath: path) ? "this user may not read it" : "there is no such file"
      throw CommandFailure("\(path): expected a file that can be read: \(reason)")
    }
  }

  private static func catalogue(_ data: Data, at path: String) throws -> Catalogue {
    do { return try JSONDecoder().decode(Catalogue.self, from: data) } catch let error as DecodingError {
      throw CommandFailure("\(path): \(error.inWords)")
    }
  }
}

extension DecodingError {
  /// The place in the JSON, and the value that was expected there.
  fileprivate var inWords: String {
    switch self {
    case .keyNotFound(let key, let context):
      "\(Self.place(context)): expected the key \"\(key.stringValue)\", which is missing"
    case .typeMismatch(let type, let context): "\(Self.place(context)): expected \(type)"
    case .valueNotFound(let type, let context): "\(Self.place(context)): expected \(type), got null"
    case .dataCorrupted(let context):
      "\(Self.place(context)): "
        + "\((context.underlyingError as NSError?)?.userInfo["NSDebugDescription"] ?? context.debugDescription)"
    @unknown default: "expected a catalogue"
    }
  }

  private static func place(_ context: Context) -> String {
    let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
    return path.isEmpty ? "the file" : String(path.trimmingPrefix("."))
  }
}
