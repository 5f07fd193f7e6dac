public import Foundation
public import OnsideCommerce
public import StoreAccounts
import StoreBase

/// The outcome for a subscription that its operator stops.
public enum StopOutcome: Sendable, Hashable {
  /// The subscription ends with its paid period, at that moment.
  case endsWithPeriod(Date)
  /// The subscription has expired: no period was paid, or the paid one is refunded.
  case over
  /// The provider has not answered to the charge of the next period. If it is paid, that period is the last one.
  case lastChargeIsOpen
}

/// The refund of a subscription that its operator stops at once.
public enum StopRefund: String, Sendable, Hashable, CaseIterable {
  /// The unused part of the running period's price, by the second, rounded up to the provider's step.
  case unused
  /// The unrefunded part of the running period's price. Its order is revoked.
  case whole
  /// Nothing; `none` on the command line.
  case nothing = "none"
}

/// The outcome for the active subscriptions of an app that its operator stops.
public struct StopSummary: Sendable, Hashable {
  /// A subscription that was not stopped.
  public struct Failure: Sendable, Hashable {
    /// The subscription.
    public let key: SubscriptionKey
    /// The expected and the actual value.
    public let reason: String
  }

  /// Number of subscriptions that run to the end of their paid period.
  public private(set) var endingCount = 0
  /// The last of these ends.
  public private(set) var lastEnd: Date?
  /// Number of expired subscriptions.
  public private(set) var overCount = 0
  /// Number of subscriptions that wait for the provider's answer to their last charge.
  public private(set) var chargedCount = 0
  /// The subscriptions that were not stopped.
  public fileprivate(set) var failures: [Failure] = []

  fileprivate mutating func add(_ outcome: StopOutcome?) {
    switch outcome {
    case .endsWithPeriod(let end):
      endingCount += 1
      lastEnd = max(lastEnd ?? end, end)
    case .over: overCount += 1
    case .lastChargeIsOpen: chargedCount += 1
    case nil: break
    }
  }
}

/// Subscriptions that their operator stops.
extension SubscriptionService {
  /// Switches the renewal off, as its account does on the page of the subscription. A paid period runs to its end, and
  /// an unpaid one expires at once. Returns nil if the account has never subscribed in the group.
  public func stop(_ key: SubscriptionKey) async throws -> StopOutcome? {
    _ = try await setAutoRenew(false, of: key)
    return try await standing(of: key)
  }

  /// Stops a subscription, and ends the running period now. A trial has no refund. Returns nil if the account has never
  /// subscribed in the group. An expired subscription does not change.
  ///
  /// - Parameter refund: the refund. *Whole* revokes the period's order, as a refund of it does; otherwise the order
  ///   ends now.
  /// - Throws: `RefundError.disputed`, and changes nothing, if a bank holds the money of the refund.
  public func stopAtOnce(
    _ key: SubscriptionKey, because reason: RevocationReason, refund: StopRefund = .whole
  ) async throws -> StopOutcome? {
    let now = dependencies.clock.now()
    let id = dependencies.random.uuid7(at: now).lowercase
    _ = try await change(key) { service, transaction in
      guard var known = try SubscriptionRecords.subscription(key, in: transaction), known.machine.isSubscribed
      else { return false }
      if refund == .whole, try service.revokeRunning(known, by: id, because: reason, in: transaction) { return true }
      try service.lifecycle.stop(
        &known, refunding: refund == .unused ? .unused : .nothing, because: reason, in: transaction)
      return true
    }
    return try await standing(of: key)
  }

  /// Stops all active subscriptions of an app, each in a write of its own. A repeated call continues after an
  /// interruption.
  ///
  /// - Parameter refund: the refund of those that end now; nil lets each run to the end of its period.
  public func stopAll(
    of app: String, because reason: RevocationReason, refund: StopRefund?
  ) async throws -> StopSummary {
    var (summary, last) = (StopSummary(), SubscriptionKey?.none)
    while true {
      let keys = try await dependencies.database.read { [last] in
        try SubscriptionRecords.keys(of: app, after: last, limit: 100, in: $0)
      }
      for key in keys where try await isActive(key) {
        do {
          if let refund {
            summary.add(try await stopAtOnce(key, because: reason, refund: refund))
          } else {
            summary.add(try await stop(key))
          }
        } catch { summary.failures.append(.init(key: key, reason: "\(error)")) }
      }
      guard let end = keys.last else { return summary }
      last = end
    }
  }

  private func isActive(_ key: SubscriptionKey) async throws -> Bool {
    try await dependencies.read(for: key.account) { transaction in
      try SubscriptionRecords.subscription(key, in: transaction)?.machine.asOf(transaction.now).isSubscribed ?? false
    }
  }

  private func standing(of key: SubscriptionKey) async throws -> StopOutcome? {
    try await dependencies.read(for: key.account) { transaction in
      guard let machine = try SubscriptionRecords.subscription(key, in: transaction)?.machine.asOf(transaction.now),
        let period = machine.period
      else { return nil }
      guard machine.isSubscribed else { return .over }
      return machine.openCharge == nil ? .endsWithPeriod(period.end) : .lastChargeIsOpen
    }
  }

  /// Refunds the unrefunded part of the price of the running period, which revokes its order and ends the subscription.
  /// Returns false if no paid period runs.
  private func revokeRunning(
    _ known: StoredSubscription, by id: String, because reason: RevocationReason, in transaction: StoreTransaction
  ) throws -> Bool {
    guard var order = try lifecycle.runningOrder(of: known, in: transaction) else { return false }
    if var original = try order.reinstates.flatMap({ try orders.order($0, in: transaction) }) {
      // A refund of the replaced order revokes its grant.
      _ = try refunds.refund(id, of: &original, amount: nil, because: reason, in: transaction)
      if try !GrantRecords.hasGrant(original.id, in: transaction) { return true }
    }
    _ = try refunds.refund(id, of: &order, amount: nil, because: reason, in: transaction)
    return order.state.revocation != nil
  }
}
