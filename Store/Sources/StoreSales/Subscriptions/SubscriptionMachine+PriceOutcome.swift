import Foundation
import OnsideCommerce

extension SubscriptionMachine {
  /// The shortest time between the announcement of a price and the period that has it.
  private static let shortestNotice: TimeInterval = 86_400
  /// The time for the delivery of a message, in addition to its notice.
  private static let deliveryTime: TimeInterval = 3600

  /// A Boolean value that indicates whether the price of the next period may still change.
  func hasShortestNotice(at now: Date) -> Bool {
    guard let period, let start = nextPeriodStart else { return false }
    return start >= now + period.atMostHalf(Self.shortestNotice)
  }

  /// The effect of a price on the subscription.
  func outcome(
    of price: RenewalPrice, at now: Date, isFirstRise: Bool, isAccountsMethod: Bool
  ) -> PriceChangeReport.Outcome {
    guard nextPlan == nil else { return .otherPlan }
    guard let period, price.price.currency == period.plan.price.currency else { return .notSold }
    let (present, new) = (period.plan.price, price.price)
    if new == pendingPrice ?? present { return .unchanged }
    // The period after an offer has the price of the payment page.
    guard !isBeingRenewed, period.offer == nil, nextOffer == nil, let start = nextPeriodStart,
      price.terms.validFrom <= start,
      hasShortestNotice(at: now)
    else { return .later }
    guard new.minorUnits > present.minorUnits else { return .lower }
    guard start >= now + price.terms.notice(after: period) + Self.deliveryTime else { return .later }
    let rules = price.terms.rules
    if rules.needsConsent(from: present, to: new, period: period.plan.period, isFirst: isFirstRise) { return .asked }
    // A message reaches the account, and not the person whose card pays.
    return isAccountsMethod ? .higher : .later
  }
}
