public import Foundation

/// What an account subscribes to: one product of a group, at the price of the account's region.
public struct SubscriptionPlan: Sendable, Hashable, Codable {
  /// The product.
  public var productID: String
  /// The rank within the group: 1 is the highest service.
  public var level: Int
  /// How long one renewal lasts.
  public var period: Period
  /// What one renewal costs.
  public var price: Money
  /// For how many days after a renewal that failed the account keeps what it has; nil for the store's own rule.
  public var graceDays: Int?

  /// A plan.
  public init(productID: String, level: Int = 1, period: Period, price: Money, graceDays: Int? = nil) {
    self.productID = productID
    self.level = level
    self.period = period
    self.price = price
    self.graceDays = graceDays
  }

  /// The plan of a subscription product in a country; nil when it is no subscription or not sold there.
  public init?(_ product: Product, in country: CountryCode) {
    guard let subscription = product.subscription, let price = product.price(in: country) else { return nil }
    self.init(
      productID: product.id, level: subscription.level, period: subscription.period, price: price,
      graceDays: subscription.graceDays)
  }
}

/// An offer as it was bought: its terms, and its price in the account's region.
public struct AcceptedOffer: Sendable, Hashable, Codable {
  /// Who can have it.
  public var kind: OfferKind
  /// How it is paid.
  public var mode: PaymentMode
  /// The length of one period of the offer.
  public var period: Period
  /// How many such periods it lasts, at least 1.
  public var periodCount: Int
  /// The price of one period, or of all of them when it is paid up front; nothing for a free trial.
  public var price: Money

  /// An offer at a price.
  public init(kind: OfferKind, mode: PaymentMode, period: Period, periodCount: Int = 1, price: Money) {
    self.kind = kind
    self.mode = mode
    self.period = period
    self.periodCount = max(1, periodCount)
    self.price = price
  }

  /// An offer of a product in a country; nil when it cannot be had there.
  public init?(_ offer: Offer, of product: Product, in country: CountryCode) {
    guard let price = product.price(of: offer, in: country) else { return nil }
    self.init(
      kind: offer.kind, mode: offer.mode, period: offer.period, periodCount: offer.periodCount, price: price)
  }

  /// How many payments the offer takes: one, or one for each of its periods.
  var payments: Int { mode == .payAsYouGo ? periodCount : 1 }
  /// How many of its periods one payment is for.
  var periodsPerPayment: Int { mode == .payAsYouGo ? 1 : periodCount }
}

/// A time that was paid for.
public struct PaidPeriod: Sendable, Hashable, Codable {
  /// Counts the paid periods of an account in a group from 1, over all its subscriptions.
  public var number: Int
  /// What it was paid for.
  public var plan: SubscriptionPlan
  /// The offer whose price was paid, if there was one.
  public var offer: AcceptedOffer?
  /// What was paid.
  public var price: Money
  /// When it begins.
  public var start: Date
  /// When it ends; this moment is not in it.
  public var end: Date

  /// The part of the price that is for the time after a moment, in whole smallest units, rounded down.
  public func unusedValue(at now: Date) -> Money {
    price.share(Int64(max(0, end.timeIntervalSince(max(now, start)))), of: Int64(end.timeIntervalSince(start)))
  }
}

extension Money {
  /// The share `part / whole` of an amount, rounded down to a whole smallest unit; nothing for an empty whole.
  func share(_ part: Int64, of whole: Int64) -> Money {
    guard whole > 0, part > 0, minorUnits > 0 else { return .zero(currency) }
    let product = minorUnits.multipliedFullWidth(by: min(part, whole))
    return Money(minorUnits: whole.dividingFullWidth(product).quotient, currency: currency)
  }
}
