import StoreBase
import StoreWeb

/// A paid order, and how to check that the store says so.
package struct ReceiptPage: Page {
  var heading: String
  var lead: String
  var isRefunded: Bool
  var product: String
  /// The number of units; nil for one.
  var quantity: String?
  var price: String
  /// The tax that the price includes; nil when none was booked.
  var tax: Tax?
  /// The refunded amount, or nil.
  var givenBack: String?
  var date: String
  /// The last day of a subscription.
  var ends: String?
  var orderID: String
  /// The receipt's number; nil for receipts from before there were any, and of orders that cost nothing.
  var number: String?
  /// The heading on paper.
  var printedHeading: String
  /// Who sells: name and address.
  var seller: String
  var sellerTaxNumber: String?
  var keysAddress: String
  var receipt: String?
  var backAddress: String?
  var backLabel: String
  /// The app's shop, or the front page for an app that is no longer sold here.
  var shopAddress: String

  /// A tax and what the price is without it.
  struct Tax: Sendable {
    var net: String
    /// What it is, with its rate.
    var label: String
    var amount: String
  }

  func title(_ texts: Texts) -> String { heading }

  static let template = String(embedded: PackageResources.ReceiptPage_mustache)
}
