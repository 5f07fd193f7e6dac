import StoreBase
import StoreWeb

/// An order for a plan that the account has already: its button switches the renewal on, or accepts the order's offer.
package struct RenewPlanPage: Page {
  /// The subscription, which only its account sees.
  struct Plan: Sendable {
    /// End of the paid period.
    var paidUntil: String
    /// What the subscription does without an answer: it ends, renews, or changes to another plan.
    var unchanged: String
    /// Price and day of the next payment after the button.
    var nextPayment: String
    /// The terms of the renewal.
    var terms: String
    var submitLabel: String
    /// The price beside the button as the form sends it back: only that is agreed to.
    var shownPrice: String
  }

  var heading: String
  var lead: String
  var productTitle: String
  var productDescription: String
  /// Nil for a browser without the account's login, which the button leads to.
  var plan: Plan?
  /// The request to log in.
  var logIn: String
  var priceChanged: String?
  var action: String
  var cancelAction: String

  func title(_ texts: Texts) -> String { heading }
  var hasError: Bool { priceChanged != nil }

  static let template = String(embedded: PackageResources.RenewPlanPage_mustache)
}
