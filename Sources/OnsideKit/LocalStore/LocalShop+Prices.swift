import Foundation
import OnsideCommerce

/// New prices for present subscribers, by the rules of a store over HTTP.
extension LocalShop {
  /// Changes the price of a subscription's product: for new subscribers now, for this one from its next renewal on.
  /// Returns whether its account is asked.
  mutating func changePrice(
    of index: Int, to text: String, needsConsent: Bool?, at now: Date
  ) throws(LocalSubscriptionError) -> Bool {
    let entry = book.subscriptions[index]
    guard let period = entry.machine.period else { return false }
    let new = try price(text, in: period.plan.price.currency)
    try checkThatPriceCanChange(of: index, at: now)
    let isAsked =
      needsConsent
      ?? PriceRiseRules.standard.needsConsent(
        from: period.plan.price, to: new, period: period.plan.period, isFirst: !wasRaisedLately(entry, at: now))
    if new.minorUnits > period.plan.price.minorUnits { book.subscriptions[index].raisedAt = now }
    book.prices = (book.prices ?? [:]).merging([period.plan.productID: new]) { _, new in new }
    handle(.priceChanged(to: new, needsConsent: isAsked), of: index, at: now)
    return isAsked
  }

  private func price(_ text: String, in currency: Currency) throws(LocalSubscriptionError) -> Money {
    let amount = text.wholeMatch(of: /[0-9]+(\.[0-9]+)?/) == nil ? nil : Decimal(string: text)
    guard let money = amount.flatMap({ try? Money(exactly: $0, currency: currency) }), !money.isZero else {
      throw LocalSubscriptionError(
        .invalidValue, "expected a price in \(currency.code) such as 12.99, got \"\(text)\"")
    }
    return money
  }

  /// A price that is agreed already stays: of what is unpaid, of a chosen plan, of an offer that goes on, and of what
  /// begins within a day.
  private func checkThatPriceCanChange(of index: Int, at now: Date) throws(LocalSubscriptionError) {
    let machine = book.subscriptions[index].machine
    if let plan = machine.nextPlan {
      throw LocalSubscriptionError(
        .otherPlan, "expected \(name(of: index)) to renew, but \(plan.productID) was chosen at a price of its own")
    }
    if machine.continuesOffer || machine.nextOffer != nil {
      throw LocalSubscriptionError(
        .offerGoesOn,
        "expected \(name(of: index)) to renew at its regular price, but its offer goes on: raise the price after that")
    }
    if machine.isBeingRenewed { throw LocalSubscriptionError(.paymentDue, of: name(of: index)) }
    guard let period = machine.period, let next = machine.nextPeriodStart,
      next < now + min(day, period.end.timeIntervalSince(period.start) / 2)
    else { return }
    throw LocalSubscriptionError(
      .renewsSoon,
      "expected the next period of \(name(of: index)) to begin later than in a day: raise the price after it")
  }

  private func wasRaisedLately(_ entry: SubscriptionEntry, at now: Date) -> Bool {
    entry.raisedAt.map { now < $0 + day * Double(PriceRiseRules.standard.days) } ?? false
  }

  /// How many seconds a day lasts at the store's speed.
  private var day: TimeInterval { settings.timeRate.seconds(for: .oneDay) ?? 86_400 }
}
