import StoreBase
import StoreWeb

/// Says why a way to log in did not lead on, and leads back to where another one can be chosen.
package struct LoginRefusedPage: Page {
  var heading: String
  var text: String
  var backAddress: String
  var backLabel: String

  func title(_ texts: Texts) -> String { heading }

  static let template = String(embedded: PackageResources.LoginRefusedPage_mustache)
}
