import StoreBase
import StoreWeb

/// The page of an account's login methods. Without a fresh proof of the user's identity it is read-only.
package struct AccountLoginMethodsPage: Page {
  struct Login: Sendable {
    var id: String
    var title: String
    var detail: String
    var since: String
  }

  var isProved: Bool
  /// Whether the account has a single login method, which cannot be removed.
  var isOnly: Bool
  var mayRemove: Bool
  var notice: String?
  var error: String?
  var logins: [Login]

  init(isProved: Bool, notice: String?, error: String?, logins: [Login]) {
    self.isProved = isProved
    isOnly = logins.count < 2
    mayRemove = isProved && logins.count > 1
    (self.notice, self.error, self.logins) = (notice, error, logins)
  }

  var hasError: Bool { error != nil }
  func title(_ texts: Texts) -> String { texts[.loginsTitle] }

  static let frame = PageFrame.medium

  static let template = String(embedded: PackageResources.AccountLoginMethodsPage_mustache)
}
