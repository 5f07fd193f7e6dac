import Foundation
import OnsideAPI
import OnsideCommerce

@testable import OnsideKit

extension ProductMessage {
  /// A product with a price, as the store would tell it.
  static func named(_ id: String, amount: Int64 = 499, currency: Currency = .eur, text: String = "€ 4,99") -> Self {
    ProductMessage(
      id: id, kind: .consumable, title: id.capitalized, description: "About \(id)",
      price: PriceMessage(Money(minorUnits: amount, currency: currency), formatted: text))
  }
}

extension ProductsMessage {
  static func netherlands(_ products: [ProductMessage] = [], invalid: [String] = []) -> Self {
    ProductsMessage(country: .netherlands, products: products, invalidProductIDs: invalid)
  }
}

extension OnsideClient {
  /// A client with a scripted store.
  static func scripted(_ store: StoreDouble, in world: ClientHarness, region: String? = nil) -> OnsideClient {
    OnsideClient(
      configuration: world.configuration(), dependencies: world.dependencies(region: region), store: store,
      host: OnsideHost())
  }
}
