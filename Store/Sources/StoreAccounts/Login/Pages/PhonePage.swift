import StoreBase
import StoreWeb

/// Asks for the phone number.
package struct PhonePage: Page {
  var heading: String
  var lead: String
  var hint: String
  /// The countries of the numbers, by their names and country codes.
  var regions: [PageOption]
  var value: String
  var error: String?
  var action: String
  /// The links to the other login methods.
  var links: [PageLink]
  var cancelAction: String

  func title(_ texts: Texts) -> String { heading }
  var hasError: Bool { error != nil }

  static let template = String(embedded: PackageResources.PhonePage_mustache)
  static let parts = LoginPageParts.all
}
