import StoreBase
import StoreWeb

/// The payment is on its way; the page asks again every few seconds.
package struct PendingPage: Page {
  var address: String
  var backAddress: String?
  var backLabel: String

  static let frame = PageFrame(width: "narrow", isFlow: true, refresh: 3)
  func title(_ texts: Texts) -> String { texts[.pendingTitle] }

  static let template = String(embedded: PackageResources.PendingPage_mustache)
}
