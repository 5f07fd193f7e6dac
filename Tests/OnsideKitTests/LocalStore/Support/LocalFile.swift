import Foundation
import OnsideCommerce

/// `.storekit` files as Xcode writes them, with settings of a test's choice.
enum LocalFile {
  static let coins = "com.example.lumen.coins"
  static let adFree = "com.example.lumen.adfree"
  static let season = "com.example.lumen.season"
  static let monthly = "com.example.lumen.pro.monthly"
  static let yearly = "com.example.lumen.pro.yearly"

  /// A file of format 4.0 with the settings given, for example `"_timeRate" : 15`.
  static func text(_ settings: String...) -> String {
    let flags = ["_locale", "_storefront", "_storeKitErrors"].filter { key in
      !settings.contains { $0.contains("\"\(key)\"") }
    }
    let defaults = ["_locale": "\"en_US\"", "_storefront": "\"NLD\"", "_storeKitErrors": "[ ]"]
    let lines = settings + flags.map { "\"\($0)\" : \(defaults[$0] ?? "null")" }
    return """
      {
        "appPolicies" : { "eula" : "", "policies" : [ ] },
        "identifier" : "A9C8D7E6",
        "nonRenewingSubscriptions" : [
          \(product(season, type: "NonRenewingSubscription", price: "9.99", english: "Summer pass", dutch: "Zomerpas"))
        ],
        "products" : [
          \(product(coins, type: "Consumable", price: "0.99", english: #"100 <coins> & \"more\""#, dutch: "100 munten")),
          \(product(adFree, type: "NonConsumable", price: "4.99", english: "No ads", dutch: "Zonder reclame"))
        ],
        "settings" : {
          \(lines.joined(separator: ",\n    "))
        },
        "subscriptionGroups" : [
          {
            "id" : "21480001", "localizations" : [ ], "name" : "Lumen Pro",
            "subscriptions" : [
              \(subscription(monthly, price: "3.99", period: "P1M", level: 2, introductory: trial)),
              \(subscription(yearly, price: "29.99", period: "P1Y", level: 1, introductory: "null"))
            ]
          }
        ],
        "version" : { "major" : 4, "minor" : 0 }
      }
      """
  }

  static func configuration(_ settings: String...) throws -> StoreKitConfiguration {
    let text = settings.allSatisfy(\.isEmpty) ? text() : text(settings.joined(separator: ",\n    "))
    return try StoreKitConfiguration.decode(Data(text.utf8), path: "Lumen.storekit")
  }

  private static let trial = """
    { "internalID" : "7", "paymentMode" : "free", "subscriptionPeriod" : "P1W" }
    """

  private static let code = """
    { "displayPrice" : "0.99", "internalID" : "8", "paymentMode" : "payUpFront", "referenceName" : "spring",
      "subscriptionPeriod" : "P1M" }
    """

  private static func product(
    _ id: String, type: String, price: String, english: String, dutch: String
  ) -> String {
    """
    {
          "displayPrice" : "\(price)", "familyShareable" : false, "internalID" : "6738",
          "localizations" : [
            { "description" : "All of it", "displayName" : "\(english)", "locale" : "en_US" },
            { "description" : "Alles", "displayName" : "\(dutch)", "locale" : "nl" }
          ],
          "productID" : "\(id)", "referenceName" : "\(english)", "type" : "\(type)"
        }
    """
  }

  private static func subscription(
    _ id: String, price: String, period: String, level: Int, introductory: String
  ) -> String {
    """
    {
                "adHocOffers" : [ ], "codeOffers" : [ \(level == 2 ? code : "") ], "displayPrice" : "\(price)", "familyShareable" : false,
                "groupNumber" : \(level), "internalID" : "6739", "introductoryOffer" : \(introductory),
                "localizations" : [ ], "productID" : "\(id)", "recurringSubscriptionPeriod" : "\(period)",
                "referenceName" : "\(id)", "subscriptionGroupID" : "21480001", "type" : "RecurringSubscription"
              }
    """
  }
}
