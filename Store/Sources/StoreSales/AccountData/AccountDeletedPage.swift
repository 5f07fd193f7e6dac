import StoreBase
import StoreWeb

/// Says that the account is no more.
package struct AccountDeletedPage: Page {
  func title(_ texts: Texts) -> String { texts[.deletedTitle] }

  static let template = String(embedded: PackageResources.AccountDeletedPage_mustache)
}
