import StoreBase
import StoreWeb

/// Asks for the e-mail address.
package struct EmailPage: Page {
  var heading: String
  var lead: String
  var value: String
  var error: String?
  var action: String
  /// The links to the other login methods.
  var links: [PageLink]
  var cancelAction: String

  func title(_ texts: Texts) -> String { heading }
  var hasError: Bool { error != nil }

  static let template = String(embedded: PackageResources.EmailPage_mustache)
  static let parts = LoginPageParts.all
}
