import StoreBase
import StoreWeb

/// Asks a new account for its region, with the one of the number, or of the hint that the app gave, chosen already.
package struct RegionPage: Page {
  var lead: String
  var regions: [PageOption]
  var error: String?
  var action: String
  var cancelAction: String

  func title(_ texts: Texts) -> String { texts[.regionTitle] }
  var hasError: Bool { error != nil }

  static let template = String(embedded: PackageResources.RegionPage_mustache)
}
