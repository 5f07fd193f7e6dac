import StoreBase
import StoreWeb

/// What one app sells, at the prices of a region.
package struct ShopPage: Page {
  struct Item: Sendable {
    var id: String
    var title: String
    var description: String
    var kind: String
    var price: String
    var rhythm: String?
    var offer: String?
    /// When a subscription ends; nothing renews yet.
    var ends: String?
    /// What stands in the place of the button.
    var sale: Sale
  }

  /// Whether and how a visitor gets a product; one of the three is there.
  struct Sale: Sendable {
    var offered: Offered?
    var owned: Owned?
    /// Why it cannot be bought now.
    var refusal: String?

    static func offered(_ label: String, orderID: String) -> Sale {
      Sale(offered: .init(label: label, orderID: orderID))
    }
    static func owned(_ label: String, receipt: String) -> Sale { Sale(owned: .init(label: label, receipt: receipt)) }
    static func refused(_ text: String) -> Sale { Sale(refusal: text) }
  }

  struct Offered: Sendable {
    var label: String
    /// The id that the order will have: a form sent twice is one order.
    var orderID: String
  }

  struct Owned: Sendable {
    var label: String
    /// The address of the receipt.
    var receipt: String
  }

  var appName: String
  var appInitial: String
  var path: String
  /// What a visitor who wanted to buy has to know.
  var notice: String?
  /// The region of the prices, for an account; its page is where it changes.
  var accountRegion: String?
  var country: String
  var products: [Item]
  /// The regions that a visitor who is not logged in chooses from; an account has its own.
  var regions: [PageOption]

  static let frame = PageFrame.site
  func title(_ texts: Texts) -> String { "\(appName) – \(texts[.shopTitle])" }

  static let template = String(embedded: PackageResources.ShopPage_mustache)
}
