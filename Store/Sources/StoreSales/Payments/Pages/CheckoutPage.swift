import StoreBase
import StoreWeb

/// What is bought, what it costs and how to pay. The store has no field for a card number on it, and no script; the
/// payment provider may add fields and scripts of its own.
package struct CheckoutPage: Page {
  struct Choice: Sendable {
    var value: String
    var name: String
    var note: String
    var isChosen: Bool
    var isDefault: Bool
  }

  var lead: String
  var productTitle: String
  var productDescription: String
  var region: String
  var quantity: String?
  var price: String
  /// The price as it is shown, in minor units and currency: the form sends it back, and only that is charged.
  var shownPrice: String
  var offer: String?
  /// How a subscription goes on: it renews until it is cancelled, or ends after a time.
  var ends: String?
  /// Which plan ends for it, and what goes back for that.
  var starts: String?
  var payLabel: String
  var priceChanged: String?
  var error: String?
  var choices: [Choice]
  /// Methods that are seldom wanted.
  var more: [Choice]
  /// What leads to those.
  var moreLabel: String
  /// The provider's fields, as HTML.
  var fields: String?
  /// The addresses of the provider's scripts.
  var scripts: [String] = []
  /// Whether the method can be kept for the next time.
  var maySave: Bool
  /// True when the method that pays is kept for the renewals of which the page tells.
  var renews: Bool
  var action: String
  var cancelAction: String

  func title(_ texts: Texts) -> String { texts[.payTitle] }
  var hasError: Bool { error != nil }

  static let template = String(embedded: PackageResources.CheckoutPage_mustache)
}
