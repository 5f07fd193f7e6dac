import Foundation
import OnsideCommerce
import StoreBase

/// Failed refunds that are requested once more.
extension PaymentSettlement {
  /// Requests a failed refund again: the owed amount, as a new refund, once. Revokes the purchase as the first one did.
  /// The new id is derived from the failed one's, so that a restored database sends the same request.
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
    let newID = renewalIDs.uuid7(at: failed.askedAt, of: "\(failed.id) again", ordinal: 0)
    let refund = Refund(
      id: newID.lowercase, orderID: order.id, paymentID: payment.id, amount: owed.amount,
      isSurplus: failed.isSurplus, reason: failed.reason, origin: isOfUnusedTime ? failed.origin : .operator,
      state: .asked, askedAt: transaction.now)
    guard try RefundRecords.insert(refund, in: transaction) else { return refund }
    try RefundRecords.replace(failed, by: refund.id, in: transaction)
    if !refund.isSurplus {
      try requests.book(refund, of: order, in: transaction)
      if !isOfUnusedTime { try revoke(&order, after: refund, in: transaction) }
    }
    try requests.enqueue(refund, of: payment, in: transaction)
    return refund
  }

  /// Repeats the refunds of changed plans that were not requested because a bank had the money, once none has it.
  func repeatHeldRefunds(of order: inout Order, in transaction: StoreTransaction) throws {
    for owed in try RefundRecords.owed(of: order.id, in: transaction) where owed.refund.failure == Refund.heldByBank {
      try repeatRefund(owed.refund.id, of: &order, in: transaction)
    }
  }

  /// Closes a failed refund without another one. For a surplus payment, also ends the order's `owesRefund`.
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
