public import Foundation
import OnsideCommerce
public import StoreAccounts
import StoreBase

/// The length of the operator's extension of a paid period.
public enum PeriodExtension: Sendable, Hashable {
  /// Days of 24 hours after the present end.
  case days(Int)
  /// A new end.
  case until(Date)

  /// Returns the new end of a period.
  ///
  /// - Parameter end: the present end.
  public func end(after end: Date) -> Date {
    switch self {
    case .days(let days): end + Double(days) * 86_400
    case .until(let date): date
    }
  }
}

/// An error of a rejected extension.
public enum ExtensionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The subscription has expired, or is paused.
  case notRunning
  /// The next period is unpaid, being paid, or paid before the end of the present one.
  case beingRenewed
  /// The subscription runs to the given end, or longer.
  case notLater(Date)

  /// The expected value.
  public var description: String {
    switch self {
    case .notRunning: "expected a subscription that runs, but it is over or paused; `onside grant` begins a new one"
    case .beingRenewed:
      "expected a subscription whose next period is neither unpaid nor paid; extend it once that period runs"
    case .notLater(let end): "expected an end after \(end.ISO8601Format()), which is paid already"
    }
  }
}

extension SubscriptionService {
  /// Moves the end of the paid period to a later moment, without a payment. The renewal is charged an hour before the
  /// new end, and later periods are counted from it; the date of a new price moves along.
  ///
  /// - Returns: the new end; nil if the account has never subscribed in the group.
  /// - Throws: `ExtensionError`, and changes nothing, if the period cannot be extended.
  public func extend(_ key: SubscriptionKey, by length: PeriodExtension) async throws -> Date? {
    let end = try await dependencies.write(for: key.account) { [lifecycle] transaction -> Date? in
      try lifecycle.passTime(of: key, in: transaction)
      guard var known = try SubscriptionRecords.subscription(key, in: transaction), let paid = known.machine.period
      else { return nil }
      let end = length.end(after: paid.end)
      try lifecycle.extend(&known, to: end, in: transaction)
      return end
    }
    if end != nil { changes.wake(account: key.account) }
    return end
  }
}
