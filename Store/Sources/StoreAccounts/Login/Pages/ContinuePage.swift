import StoreBase
import StoreWeb

/// Offers the account that this browser is logged in to.
package struct ContinuePage: Page {
  var lead: String
  var continueLabel: String
  var action: String
  var otherAddress: String
  var cancelAction: String

  func title(_ texts: Texts) -> String { texts[.continueTitle] }

  static let template = String(embedded: PackageResources.ContinuePage_mustache)
}
