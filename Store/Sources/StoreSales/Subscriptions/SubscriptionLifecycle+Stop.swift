import Foundation
import OnsideCommerce
import StoreBase

/// Subscriptions that the operator stops.
extension SubscriptionLifecycle {
  /// Ends a subscription and its orders now. Refunds the unused time before, if `refund` is `unused`.
  func stop(
    _ known: inout StoredSubscription, refunding refund: StopRefund, because reason: RevocationReason,
    in transaction: StoreTransaction
  ) throws {
    let running = known.machine.runningPeriods.filter { transaction.now < $0.end }
    for period in running {
      guard let order = try periods.paidOrder(ofPeriod: period.number, in: known.key, connection: transaction) else {
        continue
      }
      if refund == .unused {
        let unused = period.unusedValue(at: transaction.now)
        if !unused.isZero, let paid = order.paymentID,
          let held = try DisputeRecords.holding(paid, of: order.id, in: transaction)
        {
          throw RefundError.disputed(held.id)
        }
        try unusedTime.refund(unused, of: period, in: known.key, from: .stop, because: reason, transaction: transaction)
      }
      try periods.end(order, in: transaction)
    }
    try carryOut(known.machine.handle(.stopped, at: transaction.now), of: &known, in: transaction)
  }

  /// Returns the order of the running period, or nil if no paid period runs. If the next period is paid, too, returns
  /// the order of the present one, because its revocation revokes both.
  func runningOrder(
    of known: StoredSubscription, in transaction: StoreTransaction
  ) throws -> Order? {
    let running = known.machine.runningPeriods.first { transaction.now < $0.end }
    return try running.flatMap { try periods.paidOrder(ofPeriod: $0.number, in: known.key, connection: transaction) }
  }
}
