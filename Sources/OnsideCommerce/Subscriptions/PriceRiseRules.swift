/// Which rises of a price need the consent of present subscribers, as data.
///
/// A rise needs consent when it is above an amount and above a share of the present price, or when it is not the first
/// one within some days. The standard follows App Store Connect Help, "Manage pricing for auto-renewable
/// subscriptions".
public struct PriceRiseRules: Sendable, Hashable, Codable {
  /// Amounts in the smallest unit of a currency, above which a rise may need consent.
  public struct Amounts: Sendable, Hashable, Codable {
    /// For periods that are shorter than a year.
    public var shorter: Int64
    /// For periods of a year and longer.
    public var year: Int64

    /// Amounts in the smallest unit of a currency.
    public init(shorter: Int64, year: Int64) { (self.shorter, self.year) = (shorter, year) }
  }

  /// The amounts by currency, ISO 4217.
  public var amounts: [String: Amounts]
  /// The amounts in every other currency.
  public var others: Amounts
  /// The share of the present price, in percent.
  public var percent: Int64
  /// For how many days after one rise the next one needs consent.
  public var days: Int

  /// Rules of a store.
  public init(amounts: [String: Amounts], others: Amounts, percent: Int64, days: Int) {
    (self.amounts, self.others, self.percent, self.days) = (amounts, others, percent, days)
  }

  /// About 5 US dollars, or 50 for a year, and half of the price; once a year. In a currency without amounts the share
  /// alone decides.
  public static let standard = PriceRiseRules(
    amounts: [
      "AUD": Amounts(shorter: 750, year: 7500), "BRL": Amounts(shorter: 2500, year: 25_000),
      "CAD": Amounts(shorter: 700, year: 7000), "CHF": Amounts(shorter: 500, year: 5000),
      "DKK": Amounts(shorter: 3500, year: 35_000), "EUR": Amounts(shorter: 500, year: 5000),
      "GBP": Amounts(shorter: 400, year: 4000), "INR": Amounts(shorter: 40_000, year: 400_000),
      "JPY": Amounts(shorter: 700, year: 7000), "KRW": Amounts(shorter: 6500, year: 65_000),
      "NOK": Amounts(shorter: 5000, year: 50_000), "PLN": Amounts(shorter: 2000, year: 20_000),
      "SEK": Amounts(shorter: 5000, year: 50_000), "USD": Amounts(shorter: 500, year: 5000),
    ],
    others: Amounts(shorter: 0, year: 0), percent: 50, days: 365)

  /// Rules under which every rise needs consent.
  public static let always = PriceRiseRules(amounts: [:], others: Amounts(shorter: 0, year: 0), percent: 0, days: 0)

  /// Rules under which only a rise from 0 needs consent.
  public static let never = PriceRiseRules(
    amounts: [:], others: Amounts(shorter: .max, year: .max), percent: 100, days: 0)

  /// Whether a price needs consent. A lower price never does; one in another currency, and a rise from 0, always do.
  ///
  /// - Parameters:
  ///   - period: how long one renewal lasts.
  ///   - isFirst: whether there was no other rise within ``days``.
  public func needsConsent(from old: Money, to new: Money, period: Period, isFirst: Bool) -> Bool {
    guard old.currency == new.currency else { return true }
    guard new.minorUnits > old.minorUnits else { return false }
    guard isFirst, !old.isZero else { return true }
    let limits = amounts[old.currency.code] ?? others
    let rise = new.minorUnits - old.minorUnits
    return rise > (period.isYearOrLonger ? limits.year : limits.shorter)
      && rise > old.share(percent, of: 100).minorUnits
  }
}

extension Period {
  fileprivate var isYearOrLonger: Bool {
    switch unit {
    case .day: count >= 365
    case .week: count >= 52
    case .month: count >= 12
    case .year: true
    }
  }
}
