import Foundation
import OnsideCommerce
import OnsideStore
import StoreAccounts

/// What the tests' app sells.
enum TestShop {
  static let app = App(
    id: "io.example.lumen", name: "Lumen",
    redirectURIs: ["io.example.lumen://onside", "http://127.0.0.1/callback"])

  static func money(_ amount: Int64, _ currency: String = "EUR") throws -> Money {
    guard let currency = Currency(code: currency) else { throw TestShopError.noSuchCode(currency) }
    return Money(minorUnits: amount, currency: currency)
  }

  static func country(_ code: String) throws -> CountryCode {
    guard let country = CountryCode(alpha2: code) else { throw TestShopError.noSuchCode(code) }
    return country
  }

  static func catalogue() throws -> Catalogue {
    let (nl, de, jp, kw, cl) = (
      try country("NL"), try country("DE"), try country("JP"), try country("KW"), try country("CL")
    )
    let texts = [
      LocalizedText(language: "en-US", title: "Coins", description: "A hundred coins"),
      LocalizedText(language: "de", title: "Münzen", description: "Hundert Münzen"),
    ]
    return try Catalogue(
      products: [
        Product(
          id: "remove_ads", kind: .nonConsumable, referenceName: "Remove ads",
          prices: [nl: try money(499), de: try money(449)]),
        Product(
          id: "coins", kind: .consumable, referenceName: "Coins", localizations: texts,
          prices: [
            nl: try money(99), jp: try money(120, "JPY"), kw: try money(1500, "KWD"), cl: try money(12345, "CLF"),
          ]),
        Product(
          id: "pro", kind: .autoRenewableSubscription, referenceName: "Pro", prices: [nl: try money(999)],
          subscription: Subscription(groupID: "plans", groupName: "Plans", period: .oneMonth)),
        Product(
          id: "season", kind: .nonRenewingSubscription, referenceName: "Season", prices: [nl: try money(1999)]),
      ])
  }
}

enum TestShopError: Error { case noSuchCode(String) }
