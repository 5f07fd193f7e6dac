import Foundation

extension SubscriptionMachine {
  /// Begins a granted period of price 0. It ends at a given moment, from which later periods are counted.
  mutating func grant(_ plan: SubscriptionPlan, until end: Date, at now: Date) -> [SubscriptionEffect] {
    guard !isSubscribed, now < end else { return [.refused(.alreadySubscribed)] }
    anchor = BillingAnchor(end)
    let granted = PaidPeriod(
      number: (period?.number ?? 0) + 1, plan: plan, offer: nil, price: .zero(plan.price.currency), start: now,
      end: end)
    forgetWishes()
    autoRenews = false
    (earlierPeriod, period, stage) = (nil, granted, .active)
    (openCharge, offerPaymentsLeft) = (nil, 0)
    (attempts, nextAttempt, retryEnd, otherMethodWaits, lacksMethod) = (0, nil, nil, nil, nil)
    return [.began(granted)]
  }
}
