import StoreBase
import StoreWeb

/// The page that asks a logged-in user whether an app may use the account. No button has the focus: a key that was
/// pressed for another window must not consent.
package struct ConsentPage: Page {
  var heading: String
  var lead: String
  var app: String
  var identifier: String
  var address: String
  var addressNote: String
  var purchases: String
  /// The pseudonym of the shown account in the app, which the form sends: the consent of another account is not
  /// accepted.
  var subject: String
  var continueLabel: String
  var action: String
  var otherAddress: String
  var cancelAction: String

  func title(_ texts: Texts) -> String { heading }

  static let template = String(embedded: PackageResources.ConsentPage_mustache)
}
