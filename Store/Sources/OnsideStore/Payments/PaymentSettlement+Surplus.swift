import Foundation
import OnsideCommerce
import StoreBase

/// Surplus money: a payment that pays no order, because it succeeded too late or once more. It is booked and refunded.
extension PaymentSettlement {
  /// Books a payment that pays no order as a surplus, and requests its refund. The refund has the payment's id: money
  /// that came for nothing goes back once.
  func returnSurplus(_ payment: Payment, of order: Order, in transaction: StoreTransaction) throws {
    try ledger.surplus(payment, of: order, in: transaction)
    try returnRest(payment.id, of: payment, order: order, in: transaction)
  }

  /// Requests a refund of what is left of a surplus: a part may have gone back otherwise, and what a bank has taken is
  /// with the buyer, too. Nothing is requested while a refund is under way.
  func returnRest(_ id: String, of payment: Payment, order: Order, in transaction: StoreTransaction) throws {
    guard try Ledger.hasSurplus(of: order.id, payment: payment.id, in: transaction) else { return }
    let refunds = try RefundRecords.refunds(of: order.id, in: transaction)
    let left = refunds.unrefunded(of: payment.id, paid: payment.amount.minorUnits)
    guard left > 0, !refunds.contains(where: { $0.paymentID == payment.id && $0.state == .asked }) else { return }
    let refund = Refund(
      id: id, orderID: order.id, paymentID: payment.id,
      amount: Money(minorUnits: left, currency: payment.amount.currency), isSurplus: true, reason: .refund,
      origin: .store, state: .asked, askedAt: transaction.now)
    guard try RefundRecords.insert(refund, in: transaction) else { return }
    try request(refund, of: payment, in: transaction)
  }
}
