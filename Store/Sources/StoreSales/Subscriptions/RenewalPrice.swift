public import Foundation
public import OnsideCommerce

/// The price of a product for its present subscribers in a country. It applies to their next renewals until a newer one
/// does; new subscribers pay the catalogue's price.
struct RenewalPrice: Sendable, Hashable {
  let id: String
  let price: Money
  let terms: RenewalPriceTerms
  let createdAt: Date
}

/// The conditions of a price for present subscribers.
public struct RenewalPriceTerms: Sendable, Hashable {
  /// The start of the first period that may have the price.
  public var validFrom: Date
  /// The days between the message about a rise and the period that has it; in periods shorter than twice that time,
  /// half the period.
  public var noticeDays: Int
  /// The rises that need consent.
  public var rules: PriceRiseRules
  /// A Boolean value that indicates whether a subscription without consent, because nobody answered or the price was
  /// declined, keeps its price; otherwise it ends.
  public var keepsPriceWithoutConsent: Bool

  /// Terms of a price.
  public init(
    validFrom: Date = .distantPast, noticeDays: Int = 7, rules: PriceRiseRules = .standard,
    keepsPriceWithoutConsent: Bool = false
  ) {
    (self.validFrom, self.noticeDays) = (validFrom, noticeDays)
    (self.rules, self.keepsPriceWithoutConsent) = (rules, keepsPriceWithoutConsent)
  }

  /// The time between the message about a rise and the period that has it.
  ///
  /// - Parameter period: the period before.
  func notice(after period: PaidPeriod) -> TimeInterval {
    period.atMostHalf(Double(noticeDays) * 86_400)
  }
}

extension PaidPeriod {
  /// A time, or half the period if that is shorter.
  func atMostHalf(_ time: TimeInterval) -> TimeInterval { min(time, end.timeIntervalSince(start) / 2) }
}
