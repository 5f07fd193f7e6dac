import StoreBase
import StoreWeb

/// Says what a move to another region changes, before it does.
package struct RegionChangePage: Page {
  var heading: String
  var lead: String
  var prices: String
  var country: String
  var submitLabel: String

  func title(_ texts: Texts) -> String { heading }

  static let template = String(embedded: PackageResources.RegionChangePage_mustache)
}
