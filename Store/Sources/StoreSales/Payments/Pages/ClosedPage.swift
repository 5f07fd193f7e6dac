import StoreBase
import StoreWeb

/// An order that can no longer be paid, and why.
package struct ClosedPage: Page {
  var text: String
  var backAddress: String?
  var backLabel: String
  /// The app's shop, or the front page for an app that is no longer sold here.
  var shopAddress: String

  func title(_ texts: Texts) -> String { texts[.closedTitle] }

  static let template = String(embedded: PackageResources.ClosedPage_mustache)
}
