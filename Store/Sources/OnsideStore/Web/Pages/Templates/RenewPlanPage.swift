/// An order for a plan that the account has already and that does not renew: its button switches the renewal on.
struct RenewPlanPage: Page {
  /// The subscription, which only its account sees.
  struct Plan: Sendable {
    /// End of the paid period.
    var paidUntil: String
    /// What the subscription does without an answer: it ends, or changes to another plan.
    var unchanged: String
    /// Price and day of the next payment after the renewal is switched on.
    var nextPayment: String
    /// The terms of the renewal.
    var terms: String
    var submitLabel: String
    /// The price beside the button as the form sends it back: only that is agreed to.
    var shownPrice: String
  }

  var lead: String
  var productTitle: String
  var productDescription: String
  /// Nil for a browser without the account's login, which the button leads to.
  var plan: Plan?
  var priceChanged: String?
  var action: String
  var cancelAction: String

  func title(_ texts: Texts) -> String { texts[.renewTitle] }
  var hasError: Bool { priceChanged != nil }

  static let template = String(embedded: PackageResources.RenewPlanPage_mustache)
}
