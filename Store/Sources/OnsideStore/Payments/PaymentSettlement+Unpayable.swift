import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// Orders that must not be paid any more.
extension PaymentSettlement {
  /// Cancels an order that must not be paid any more, although a payment may be under way: a payment that succeeds
  /// later is refunded, as after any cancellation.
  func cancelIfUnpayable(_ order: inout Order, in transaction: StoreTransaction) throws {
    guard order.state.stage == .open || order.state.stage == .processing,
      let reason = try obstacles.cancelReason(of: order, in: transaction)
    else { return }
    _ = try order.state.handle(.paymentDeclined, at: transaction.now)
    _ = try order.state.handle(.cancelled, at: transaction.now)
    order.cancelReason = reason
    try OfferCodeRecords.release(of: order, in: transaction)
    orders.metrics.orderCancelled(because: reason, in: transaction)
  }

}
