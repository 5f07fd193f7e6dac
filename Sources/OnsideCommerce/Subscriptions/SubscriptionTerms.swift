import Foundation

/// The rules of billing that a store follows.
public struct SubscriptionTerms: Sendable, Hashable, Codable {
  /// How fast time passes; it also gives the lengths of grace period and retries.
  public var timeRate: TimeRate
  /// True when the account keeps what it has for a while after a failed payment.
  public var grantsGrace: Bool

  /// Real time, with a grace period.
  public init(timeRate: TimeRate = .realTime, grantsGrace: Bool = true) {
    self.timeRate = timeRate
    self.grantsGrace = grantsGrace
  }

  /// For how long a failed payment is tried again.
  var retryLength: TimeInterval { timeRate.billingRetryPeriod }
  /// The time between two tries: 3 days.
  var attemptDistance: TimeInterval { retryLength / 20 }

  /// How long a period's rights last after its end, while the next payment is not there.
  func grace(after period: PaidPeriod) -> TimeInterval {
    grantsGrace ? timeRate.gracePeriod(for: period.plan.period) : 0
  }

  /// How long a late payment still continues the period before it; the answer to a charge has at least a day.
  func continuation(after period: PaidPeriod) -> TimeInterval { max(grace(after: period), retryLength / 60) }
}
