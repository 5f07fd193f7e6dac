import StoreBase
import StoreWeb

/// Asks which account to log in to, for a phone number that opens several.
package struct AccountChoicePage: Page {
  struct Choice: Sendable {
    var id: String
    var title: String
    /// The account's masked login methods.
    var detail: String
  }

  var action: String
  var accounts: [Choice]
  var cancelAction: String

  func title(_ texts: Texts) -> String { texts[.choiceTitle] }

  static let template = String(embedded: PackageResources.AccountChoicePage_mustache)
}
