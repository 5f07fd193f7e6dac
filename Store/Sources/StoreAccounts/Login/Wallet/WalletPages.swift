import StoreBase
import StoreWeb

/// Asks which account a wallet logs in with.
package struct WalletAddressPage: Page {
  var heading: String
  var value: String
  var error: String?
  var action: String
  var otherAddress: String
  var cancelAction: String

  func title(_ texts: Texts) -> String { heading }
  var hasError: Bool { error != nil }

  static let template = String(embedded: PackageResources.WalletAddressPage_mustache)
}

/// Shows the challenge, and takes it back signed.
package struct WalletChallengePage: Page {
  var heading: String
  var lead: String
  var challenge: String
  var error: String?
  var action: String
  var otherAddress: String
  var cancelAction: String

  func title(_ texts: Texts) -> String { heading }
  var hasError: Bool { error != nil }

  static let template = String(embedded: PackageResources.WalletChallengePage_mustache)
}
