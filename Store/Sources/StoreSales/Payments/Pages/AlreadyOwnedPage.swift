import StoreBase
import StoreWeb

/// An order for something that its account has already: nothing was charged, or it goes back: no amount, no thanks.
package struct AlreadyOwnedPage: Page {
  var text: String
  /// The next event of a subscription, such as its renewal; nil for other products.
  var plan: String?
  /// The receipt of the order that gave it to the account.
  var receiptAddress: String
  var backAddress: String?
  var backLabel: String
  /// The app's shop, or the front page for an app that is no longer sold here.
  var shopAddress: String

  func title(_ texts: Texts) -> String { texts[.alreadyTitle] }

  static let template = String(embedded: PackageResources.AlreadyOwnedPage_mustache)
}
