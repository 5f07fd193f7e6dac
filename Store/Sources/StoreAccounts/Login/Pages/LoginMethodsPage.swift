import StoreBase
import StoreWeb

/// Offers the login methods of a store that sends no codes.
package struct LoginMethodsPage: Page {
  var heading: String
  var lead: String
  var links: [PageLink]
  var cancelAction: String

  func title(_ texts: Texts) -> String { heading }

  static let template = String(embedded: PackageResources.LoginMethodsPage_mustache)
  static let parts = LoginPageParts.all
}
