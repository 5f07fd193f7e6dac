import StoreBase
import StoreWeb

/// Gives a person all data of the account, and deletes it. Before a fresh proof of who they are, it only asks for that.
package struct AccountDataPage: Page {
  var isProved: Bool
  var error: String?

  func title(_ texts: Texts) -> String { texts[.dataTitle] }
  var hasError: Bool { error != nil }

  static let template = String(embedded: PackageResources.AccountDataPage_mustache)
}
