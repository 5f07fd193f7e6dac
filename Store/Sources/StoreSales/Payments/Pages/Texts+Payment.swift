import OnsideAPI
import OnsideCommerce
import StoreWeb

extension Texts {
  /// `Plus ends when this is paid. About € 6,76 goes back to you for the rest of its time.`
  func describe(_ replaced: PlanReplacement, language tag: String?) -> String {
    let ends = self(.payReplaces, ["plan": replaced.plan.isolated])
    guard !replaced.givesBack.isZero else { return ends }
    let amount = replaced.givesBack.formatted(country: replaced.country, language: tag ?? language.rawValue)
    return ends + " " + self(.payGivesBack, ["amount": amount.isolated])
  }

  /// Why an order can no longer be paid.
  func describe(_ reason: CancelReason?) -> String {
    switch reason {
    case .expired?: self[.closedExpired]
    case .storefrontChanged?: self[.closedRegion]
    case .planIsActive?: self[.closedActive]
    default: self[.closedCancelled]
    }
  }
}

extension CancelReason {
  /// The account has another plan of the same subscription.
  fileprivate static let planIsActive = CancelReason(rawValue: "subscription_active")
}
