import Foundation

/// The example shop, with one of its products a hundred times over.
enum ExampleShop {
  static let app = "io.example.lumen"
  static let database = "store.sqlite"
  static let country = "NL"
  /// What one of them costs there, as the example's price list says.
  static let price = (amount: 199, currency: "EUR")
  static let products = (1...100).map { String(format: "coins_%03d", $0) }
  private static let template = "coins_100"

  /// Puts the shop into a new database.
  static func open(_ place: Workplace) async throws {
    try write(catalogue(place), to: place.file("shop.storekit"))
    try write(prices(place), to: place.file("shop.prices.json"))
    _ = try await BenchProcess.run(
      place.onside,
      arguments: [
        "import", "shop.storekit", "--prices", "shop.prices.json", "--app", app, "--name", "Lumen", "--database",
        place.database,
      ], in: place.folder)
  }

  private static func catalogue(_ place: Workplace) throws -> [String: Any] {
    var catalogue = try read(place.examples.appending(path: "Shop.storekit"))
    let sold = catalogue["products"] as? [[String: Any]] ?? []
    guard let product = sold.first(where: { $0["productID"] as? String == template }) else {
      throw BenchFailure("expected the product \(template) in the example shop")
    }
    catalogue["products"] = products.enumerated().map { index, id in
      product.merging(["productID": id, "internalID": "9\(1000 + index)", "referenceName": id]) { $1 }
    }
    catalogue["nonRenewingSubscriptions"] = []
    catalogue["subscriptionGroups"] = []
    return catalogue
  }

  private static func prices(_ place: Workplace) throws -> [String: Any] {
    let sold = try read(place.examples.appending(path: "Shop.prices.json"))["products"] as? [String: Any] ?? [:]
    guard let price = sold[template] else { throw BenchFailure("expected prices of \(template) in the example shop") }
    return ["products": Dictionary(uniqueKeysWithValues: products.map { ($0, price) })]
  }

  private static func read(_ file: URL) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
    guard let dictionary = object as? [String: Any] else { throw BenchFailure("\(file.path) is no JSON object") }
    return dictionary
  }

  private static func write(_ object: [String: Any], to file: URL) throws {
    try JSONSerialization.data(withJSONObject: object).write(to: file)
  }
}
