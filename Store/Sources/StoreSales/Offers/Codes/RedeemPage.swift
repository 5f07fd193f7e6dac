import StoreBase
import StoreWeb

/// Asks for the code of an offer, and shows what there is for one.
package struct RedeemPage: Page {
  /// What there is for a code: the price now and later, and the way to the payment page.
  struct Found: Sendable {
    var app: String
    var title: String
    var description: String
    var price: String
    /// The order that the form makes: sent twice, it makes one.
    var order: String
  }

  /// As it was typed.
  var code: String
  var error: String?
  var found: Found?
  /// What every form repeats of the app that has opened the page.
  var hiddenFields: [HiddenField] = []
  /// The page without a code.
  var otherAddress = "/redeem"
  /// The way back into that app; nil for the store's own page.
  var back: PageLink?

  func title(_ texts: Texts) -> String { texts[.redeemTitle] }
  var hasError: Bool { error != nil }

  static let template = String(embedded: PackageResources.RedeemPage_mustache)
}
