import StoreBase
import StoreWeb

/// The page that advertisements and links lead to: what the app is, and how to get it.
package struct LandingPage: Page {
  var appInitial: String
  var heading: String
  var lead: String
  var installLabel: String
  var next: String
  var note: String
  /// Where the form leads; nil when the app has no address to install it from.
  var action: String?
  /// The visit that the button belongs to.
  var visit: String
  var shopPath: String

  func title(_ texts: Texts) -> String { heading }

  static let template = String(embedded: PackageResources.LandingPage_mustache)
}
