import Foundation
import OnsideCommerce

/// What the app sells: the example shop of the repository.
enum Goods {
  static let coins = "coins_100"
  static let adFree = "remove_ads"
  static let season = "season_pass"
  static let monthly = "pro_monthly"
  static let yearly = "pro_yearly"

  static func catalogue() throws -> Catalogue {
    let examples = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../Examples")
      .standardized
    let file = examples.appending(path: "Shop.storekit")
    let table = examples.appending(path: "Shop.prices.json")
    let prices = try PriceTable.decode(Data(contentsOf: table), path: table.path)
    return try StoreKitConfiguration.decode(Data(contentsOf: file), path: file.path).catalogue(prices: prices)
  }

  /// The catalogue with one product changed.
  static func catalogue(changing id: String, _ change: (inout Product) -> Void) throws -> Catalogue {
    let catalogue = try catalogue()
    let products = catalogue.products.map { product in
      var product = product
      if product.id == id { change(&product) }
      return product
    }
    return try Catalogue(products: products, defaultLanguage: catalogue.defaultLanguage)
  }
}
