import Foundation
import OnsideCommerce
import StoreBase
import StorePayments

/// Failed refunds: reversed, repeated and closed.
extension RefundSettlement {
  /// Applies a provider's report of a failed refund, which may follow a report of its success. Reverses its ledger
  /// entries, and grants a revoked purchase again. The operator may refund again.
  func applyFailure(
    _ report: ProviderRefund, of charge: ChargeReport, from provider: String, to order: inout Order,
    in transaction: StoreTransaction
  ) throws {
    let refunds = try RefundRecords.refunds(of: order.id, in: transaction)
    guard var refund = refunds.match(report, of: charge.id, from: provider), refund.state != .failed else { return }
    let wasSettled = refund.state == .settled
    (refund.state, refund.endedAt) = (.failed, transaction.now)
    // A refund that the provider rejected has no reference there.
    if report.reference != refund.id { refund.reference = report.reference }
    if case .failed(let reason) = report.state { refund.failure = reason }
    try RefundRecords.update(refund, in: transaction)
    orders.metrics.refundFailed(in: transaction)
    guard var payment = try payments.payment(charge.id, in: transaction) else { return }
    if refund.isSurplus {
      if wasSettled { try ledger.surplusRefundFailed(refund, of: payment, order: order, in: transaction) }
    } else {
      let total = try RefundRecords.refunds(of: order.id, in: transaction).total
      try ledger.refundFailed(refund, of: order, total: total, in: transaction)
      // The buyer, whose request was approved, may request the refund again.
      try BuyerRefundRequestRecords.reopen(order.id, in: transaction)
      try grants.grantIfOwed(order, because: .refund(refund), in: transaction)
    }
    guard payment.state == .refunded else { return }
    payment.state = .succeeded
    try payments.save(payment, in: transaction)
  }

  /// Requests a failed refund again: the owed amount, as a new refund, once. Revokes the purchase as the first refund
  /// did. The new id is derived from the failed one's, so that a restored database sends the same request.
  @discardableResult
  func repeatRefund(_ id: String, of order: inout Order, in transaction: StoreTransaction) throws -> Refund {
    guard let failed = try RefundRecords.refund(id, in: transaction), let paymentID = failed.paymentID,
      let payment = try payments.payment(paymentID, in: transaction)
    else { throw RefundError.notOwed(id) }
    if let held = try DisputeRecords.holding(payment.id, of: order.id, in: transaction) {
      throw RefundError.disputed(held.id)
    }
    guard let owed = try RefundRecords.owed(of: order.id, in: transaction).first(where: { $0.refund.id == id }) else {
      throw RefundError.notOwed(id)
    }
    let isOfUnusedTime = failed.origin.isOfUnusedTime
    let newID = derivedIDs.uuid7(at: failed.askedAt, of: "\(failed.id) again", ordinal: 0)
    let refund = Refund(
      id: newID.lowercase, orderID: order.id, paymentID: payment.id, amount: owed.amount,
      isSurplus: failed.isSurplus, reason: failed.reason, origin: isOfUnusedTime ? failed.origin : .operator,
      state: .asked, askedAt: transaction.now)
    guard try RefundRecords.insert(refund, in: transaction) else { return refund }
    try RefundRecords.replace(failed, by: refund.id, in: transaction)
    if !refund.isSurplus {
      try booking.book(refund, of: order, in: transaction)
      if !isOfUnusedTime { try revoke(&order, after: refund, in: transaction) }
    }
    try booking.enqueue(refund, of: payment, in: transaction)
    return refund
  }

  /// Repeats the refunds of unused time that were not requested because a bank held the money.
  func repeatHeldRefunds(of order: inout Order, in transaction: StoreTransaction) throws {
    for owed in try RefundRecords.owed(of: order.id, in: transaction) where owed.refund.failure == Refund.heldByBank {
      try repeatRefund(owed.refund.id, of: &order, in: transaction)
    }
  }

  /// Closes a failed refund without another one. Also ends `owesRefund` of the order of a surplus payment.
  func closeRefund(_ id: String, of order: inout Order, in transaction: StoreTransaction) throws {
    guard let failed = try RefundRecords.refund(id, in: transaction), failed.isUnreplaced else {
      throw RefundError.notOwed(id)
    }
    try RefundRecords.replace(failed, by: Refund.byOperator, in: transaction)
    guard order.state.owesRefund, order.paymentID == failed.paymentID,
      try order.state.handle(.refunded(failed.reason), at: transaction.now) == .changed
    else { return }
    try orders.update(order, in: transaction)
  }
}
