import Foundation
import OnsideCommerce

/// Refunds of orders: by the operator, or reported by the provider.
extension PaymentSettlement {
  /// Refunds a paid order. `tellProvider` is false when the refund is an event of the provider.
  func refund(
    _ order: inout Order, because reason: RevocationReason, tellProvider: Bool, in transaction: StoreTransaction
  ) throws {
    // A duplicate of an owned order was never charged.
    guard order.duplicateOf == nil else { throw OrderTransitionError.notPaid }
    let owedRefund = order.state.owesRefund
    guard try order.state.handle(.refunded(reason), at: transaction.now) == .changed else { return }
    try orders.update(order, in: transaction)
    let payment = try order.paymentID.flatMap { try payments.payment($0, in: transaction) }
    if owedRefund {
      if let payment { try bookReturnedSurplus(payment, of: order, in: transaction) }
    } else {
      try ledger.refund(order, in: transaction)
      orders.metrics.orderRefunded(in: transaction)
      try sign(&order, in: transaction)
      try revokeDuplicates(of: order, in: transaction)
    }
    if tellProvider, let payment { try requestRefund(of: payment, in: transaction) }
  }

  /// Applies a provider's report that a payment was refunded. `isCurrent` is false when the order has another payment.
  func applyRefund(
    of payment: Payment, isCurrent: Bool, to order: inout Order, in transaction: StoreTransaction
  ) throws {
    // A surplus payment, which is refunded at once, never paid the order.
    let isSurplus = try Ledger.hasSurplus(of: order.id, payment: payment.id, in: transaction)
    guard isCurrent, order.duplicateOf == nil, !isSurplus || order.state.owesRefund else {
      return try bookReturnedSurplus(payment, of: order, in: transaction)
    }
    guard order.state.stage == .paid || order.state.owesRefund else {
      // The refund arrived before the payment: the payment will not count any more, and the order is open again.
      return try transition(&order, event: .paymentDeclined, paymentID: payment.id, in: transaction)
    }
    try refund(&order, because: .refund, tellProvider: false, in: transaction)
  }

  private func revokeDuplicates(of order: Order, in transaction: StoreTransaction) throws {
    let duplicates = try orders.orders(.duplicates(of: order.id), of: order.customer, in: transaction)
    for var duplicate in duplicates {
      guard let revocation = order.state.revocation else { return }
      guard try duplicate.state.handle(.refunded(revocation.reason), at: transaction.now) == .changed else { continue }
      try orders.update(duplicate, in: transaction)
    }
  }
}
