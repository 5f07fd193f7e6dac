import StoreBase
import StoreWeb

/// The cards that an account has saved, those that only its subscriptions use, and the subscriptions that need one.
package struct PaymentMethodsPage: Page {
  struct Method: Sendable {
    var id: String
    var name: String
    var note: String
    var isDefault: Bool
    /// True if the account has saved it for other purchases.
    var isSaved = true
    /// The subscriptions that use it: `For Plus in Lumen`; nil without any.
    var uses: String?
  }

  /// Why a method was not saved, when it was not.
  var error: String?
  var methods: [Method]
  var choices: [PageOption]
  /// What the choices are called together.
  var legend: String
  /// Links to the pages of the subscriptions that wait for a payment method.
  var waiting: [PageLink] = []
  var action: String
  var doneAction: String

  func title(_ texts: Texts) -> String { texts[.methodsTitle] }
  var hasError: Bool { error != nil }

  static let template = String(embedded: PackageResources.PaymentMethodsPage_mustache)
}
