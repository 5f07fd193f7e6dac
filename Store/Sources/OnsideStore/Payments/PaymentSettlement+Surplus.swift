import Foundation
import OnsideCommerce

/// Surplus money: a payment that pays no order, because it succeeded too late or once more. It is booked and refunded.
extension PaymentSettlement {
  /// Books a payment that pays no order as a surplus, and requests its refund.
  func returnSurplus(_ payment: Payment, of order: Order, in transaction: StoreTransaction) throws {
    try ledger.surplus(payment, of: order, provider: payments.provider, in: transaction)
    try requestRefund(of: payment, in: transaction)
  }

  /// Books the refund of a surplus payment; does nothing for a payment that was no surplus.
  func bookReturnedSurplus(_ payment: Payment, of order: Order, in transaction: StoreTransaction) throws {
    guard try Ledger.hasSurplus(of: order.id, payment: payment.id, in: transaction) else { return }
    try ledger.surplusReturned(payment, of: order, provider: payments.provider, in: transaction)
  }

  /// Writes the outbox row that asks the provider for a refund.
  func requestRefund(of payment: Payment, in transaction: StoreTransaction) throws {
    try outbox.add(
      PaymentOutboxKind.refund, payload: try PaymentOutboxKind.payload(payment.handedOver()), due: transaction.now,
      in: transaction)
  }
}
