import Foundation
import OnsideCommerce
import StoreAccounts
import StoreBase

/// Pauses of one to three months after the end of a period, without charges and entitlements.
extension SubscriptionService {
  /// The lengths of a pause, in months.
  static let pauseLengths = 1...3

  /// Plans a pause after the end of the period. Returns false if the subscription does not renew or is unpaid.
  func pause(months: Int, of key: SubscriptionKey) async throws -> Bool {
    guard Self.pauseLengths.contains(months) else { return false }
    return try await change(key) { service, transaction in
      guard var known = try service.running(key, in: transaction), let end = known.machine.period?.end else {
        return false
      }
      let until = Period.oneMonth.adding(to: end, times: months)
      guard known.machine.handle(.pauseRequested(until: until), at: transaction.now).isEmpty else { return false }
      try service.prices.moveDate(of: known, to: known.machine.nextPeriodStart, in: transaction)
      try SubscriptionRecords.save(known, in: transaction)
      return true
    }
  }

  /// Cancels a planned pause. Returns false if none is planned.
  func dropPause(of key: SubscriptionKey) async throws -> Bool {
    try await change(key) { service, transaction in
      guard var known = try service.running(key, in: transaction) else { return false }
      let before = known.machine
      guard known.machine.handle(.resumed, at: transaction.now).isEmpty, known.machine != before else { return false }
      try service.prices.moveDate(of: known, to: known.machine.nextPeriodStart, in: transaction)
      try SubscriptionRecords.save(known, in: transaction)
      return true
    }
  }

  /// Ends a pause: the next period is charged now. Returns false without a payment method that may be charged the
  /// price.
  ///
  /// - Parameter shownPrice: the price beside the button. Nothing changes if the present price differs.
  func resume(shownPrice: Money, of key: SubscriptionKey) async throws -> Bool {
    try await change(key) { service, transaction in
      try service.lifecycle.passTime(of: key, in: transaction)
      guard var known = try SubscriptionRecords.subscription(key, in: transaction),
        case .paused = known.machine.stage, known.machine.nextPrice == shownPrice, known.method != nil,
        try known.mayAgree(to: known.machine.plannedPlan, in: transaction)
      else { return false }
      var effects = try service.prices.agree(to: shownPrice, of: &known, in: transaction)
      effects += known.machine.handle(.resumed, at: transaction.now)
      try service.consents.record(of: &known, in: transaction)
      try service.prices.moveDate(of: known, to: transaction.now, in: transaction)
      try service.lifecycle.carryOut(effects, of: &known, in: transaction)
      return true
    }
  }

  /// Runs a write about a subscription, and wakes the account's devices if it has changed.
  func change(
    _ key: SubscriptionKey, _ body: @escaping @Sendable (SubscriptionService, StoreTransaction) throws -> Bool
  ) async throws -> Bool {
    let hasChanged = try await dependencies.write(for: key.account) { [self] in try body(self, $0) }
    if hasChanged { changes.wake(account: key.account) }
    return hasChanged
  }
}
