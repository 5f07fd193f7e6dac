import Foundation
import OnsideCommerce

/// Surplus money: a payment that pays no order, because it succeeded too late or once more. It is booked and refunded.
extension PaymentSettlement {
  /// Books a payment that pays no order as a surplus, and requests its refund. The refund has the payment's id: money
  /// that came for nothing goes back once.
  func returnSurplus(_ payment: Payment, of order: Order, in transaction: StoreTransaction) throws {
    try ledger.surplus(payment, of: order, in: transaction)
    let refund = Refund(
      id: payment.id, orderID: order.id, paymentID: payment.id, amount: payment.amount, isSurplus: true,
      reason: .refund, origin: .store, state: .asked, askedAt: transaction.now)
    guard try RefundRecords.insert(refund, in: transaction) else { return }
    try request(refund, of: payment, in: transaction)
  }

  /// Asks once more for the refund of a surplus that failed; nil when none has.
  func askSurplusAgain(_ id: String, of order: Order, in transaction: StoreTransaction) throws -> Refund? {
    let refunds = try RefundRecords.refunds(of: order.id, in: transaction).filter(\.isSurplus)
    let owed = refunds.last { failed in
      failed.state == .failed && !refunds.contains { $0.paymentID == failed.paymentID && $0.state != .failed }
    }
    guard let owed, let payment = try owed.paymentID.flatMap({ try payments.payment($0, in: transaction) }) else {
      return nil
    }
    let refund = Refund(
      id: id, orderID: order.id, paymentID: payment.id, amount: payment.amount, isSurplus: true, reason: .refund,
      origin: .operator, state: .asked, askedAt: transaction.now)
    guard try RefundRecords.insert(refund, in: transaction) else { return nil }
    try request(refund, of: payment, in: transaction)
    return refund
  }
}
