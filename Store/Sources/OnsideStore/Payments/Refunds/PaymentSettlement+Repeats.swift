import Foundation
import OnsideCommerce

/// Failed refunds that are requested once more.
extension PaymentSettlement {
  /// The failure of a refund that was not requested, because a bank had the money.
  static let heldByBank = "the payment is disputed"

  /// Books a failed refund once more under another id, and requests it: its amount, or what is left of the payment. The
  /// purchase is revoked as after the first refund.
  func repeatRefund(
    _ failed: Refund, id: String, of order: inout Order, in transaction: StoreTransaction
  ) throws -> Refund {
    guard failed.isOwed, let payment = try failed.paymentID.flatMap({ try payments.payment($0, in: transaction) })
    else {
      throw RefundError.notOwed(failed.id)
    }
    if let held = try DisputeRecords.disputes(of: order.id, in: transaction).first(where: \.holdsRefunds) {
      throw RefundError.disputed(held.id)
    }
    let left = try RefundRecords.refunds(of: order.id, in: transaction).left(of: payment)
    guard left > 0 else { throw RefundError.notOwed(failed.id) }
    let isOfPlanChange = failed.origin == .planChange
    let refund = Refund(
      id: id, orderID: order.id, paymentID: payment.id, amount: OwedRefund(failed, left: left).amount,
      isSurplus: failed.isSurplus, reason: failed.reason, origin: isOfPlanChange ? .planChange : .operator,
      state: .asked, askedAt: transaction.now)
    guard try RefundRecords.insert(refund, in: transaction) else { return refund }
    try RefundRecords.replace(failed, by: refund.id, in: transaction)
    if !refund.isSurplus {
      try bookMoney(refund, of: order, in: transaction)
      if !isOfPlanChange { try revoke(&order, after: refund, in: transaction) }
    }
    try request(refund, of: payment, in: transaction)
    return refund
  }

  /// Repeats the refunds of changed plans that were not requested because a bank had the money, once none has it.
  func repeatHeldRefunds(of order: inout Order, in transaction: StoreTransaction) throws {
    for held in try RefundRecords.refunds(of: order.id, in: transaction)
    where held.isOwed && held.failure == Self.heldByBank {
      do {
        _ = try repeatRefund(held, id: "\(held.id):returned", of: &order, in: transaction)
      } catch is RefundError {
        // Another dispute holds the money, or nothing of it is left.
      }
    }
  }
}

extension [Refund] {
  /// What is left of a payment, in the currency's smallest unit.
  func left(of payment: Payment) -> Int64 {
    filter { $0.paymentID == payment.id && $0.state != .failed }.reduce(payment.amount.minorUnits) {
      $0 - $1.amount.minorUnits
    }
  }
}
