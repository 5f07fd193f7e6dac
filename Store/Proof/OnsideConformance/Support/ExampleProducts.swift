import Foundation
import Logging
import OnsideCommerce
import OnsideKit
import StoreTestSupport

/// What the app sells: the example shop of the repository.
enum ExampleProducts {
  static let coins = "coins_100"
  static let adFree = "remove_ads"
  static let season = "season_pass"
  static let monthly = "pro_monthly"
  static let yearly = "pro_yearly"

  private static let examples = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../../Examples").standardized

  /// The shop's own file.
  static let file = examples.appending(path: "Shop.storekit")

  /// - Parameter offers: what the monthly plan has beside its trial.
  private static func configuration(offering offers: [Offer] = []) throws -> StoreKitConfiguration {
    let configuration = try StoreKitConfiguration.decode(Data(contentsOf: file), path: file.path)
    let products = configuration.products.map { product in
      var product = product
      if product.id == monthly { product.subscription?.offers += offers }
      return product
    }
    return StoreKitConfiguration(products: products, settings: configuration.settings)
  }

  /// The shop as a store on the device, which keeps its purchases in a folder.
  static func localStore(
    in folder: TemporaryFolder, ahead: Observed<Double>, offering offers: [Offer] = []
  ) throws -> LocalStore {
    var dependencies = Dependencies.live(
      storageFolder: folder.url, screens: TerminalPresenter(),
      logger: Logger(label: "local store") { _ in SwiftLogNoOpLogHandler() })
    dependencies.now = { Date().addingTimeInterval(ahead.value) }
    return LocalStore(try configuration(offering: offers), dependencies: dependencies, keepsPurchases: true)
  }

  static func catalogue(offering offers: [Offer] = []) throws -> Catalogue {
    let table = examples.appending(path: "Shop.prices.json")
    let prices = try PriceTable.decode(Data(contentsOf: table), path: table.path)
    return try configuration(offering: offers).catalogue(prices: prices)
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
