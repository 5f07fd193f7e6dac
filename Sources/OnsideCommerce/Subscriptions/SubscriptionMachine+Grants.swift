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

  /// Moves the end of the paid period to a later moment, from which later periods are counted. A planned pause keeps
  /// its length. Refused while the next period is unpaid, being paid, or paid before the end of the present one.
  mutating func extend(to end: Date, at now: Date) -> [SubscriptionEffect] {
    guard isSubscribed, let paid = period else { return [.refused(.notSubscribed)] }
    let isPaidAhead = earlierPeriod.map { now < $0.end } ?? false
    guard stage == .active, !isBeingRenewed, !isPaidAhead else { return [.refused(.paymentDue)] }
    let added = end.timeIntervalSince(paid.end)
    guard added > 0 else { return [] }
    period?.end = end
    anchor = BillingAnchor(end)
    if let until = plannedPause?.until { plannedPause?.until = until + added }
    return []
  }
}
