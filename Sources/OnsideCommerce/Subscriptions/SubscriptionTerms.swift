public import Foundation

/// The rules of billing that a store follows.
public struct SubscriptionTerms: Sendable, Hashable, Codable {
  /// How fast time passes; it also gives the lengths of grace period and retries.
  public var timeRate: TimeRate
  /// True when the account keeps what it has for a while after a failed payment.
  public var grantsGrace: Bool
  /// How many seconds before the end of a period the next one is charged, so that nobody loses what is paid while a
  /// card is asked; 0 charges at the end.
  public var leadTime: TimeInterval

  /// Real time, with a grace period.
  public init(timeRate: TimeRate = .realTime, grantsGrace: Bool = true, leadTime: TimeInterval = 0) {
    self.timeRate = timeRate
    self.grantsGrace = grantsGrace
    self.leadTime = leadTime
  }

  /// For how long a failed payment is tried again.
  var retryLength: TimeInterval { timeRate.billingRetryPeriod }
  /// The time between two tries: 3 days.
  var attemptDistance: TimeInterval { retryLength / 20 }

  /// How long a period's rights last after its end, while the next payment is not there.
  func grace(after period: PaidPeriod) -> TimeInterval {
    grantsGrace ? timeRate.gracePeriod(for: period.plan.period, days: period.plan.graceDays) : 0
  }

  /// How long a late payment still continues the period before it; the answer to a charge has at least a day.
  func continuation(after period: PaidPeriod) -> TimeInterval { max(grace(after: period), retryLength / 60) }
}

extension SubscriptionTerms {
  /// Reads terms; those that were written before there was a lead time have none.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      timeRate: try values.decode(TimeRate.self, forKey: .timeRate),
      grantsGrace: try values.decode(Bool.self, forKey: .grantsGrace),
      leadTime: try values.decodeIfPresent(TimeInterval.self, forKey: .leadTime) ?? 0)
  }
}
