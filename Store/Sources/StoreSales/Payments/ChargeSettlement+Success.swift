import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// Succeeded payments.
extension ChargeSettlement {
  /// Applies a succeeded payment of any attempt. It pays the order. If the order is paid or can no longer be paid, the
  /// payment is refunded.
  ///
  /// - Parameter method: the id of the method of the payment, if it can be charged again.
  func applySuccess(
    of payment: Payment, card: CountryCode? = nil, method: String? = nil, to order: inout Order,
    in transaction: StoreTransaction
  ) throws {
    let isAgreed = payment.isOurs && !isOfLostOffer(payment, order) || payment.amount == order.price
    guard isAgreed, order.duplicateOf == nil else {
      try booking.refundSurplus(payment, of: order, in: transaction)
      if order.paymentID == payment.id {
        try orderPayments.transition(&order, event: .paymentDeclined, paymentID: payment.id, in: transaction)
      }
      return
    }
    let other = order.paymentID == payment.id ? nil : order.paymentID
    try cancelIfUnpayable(&order, in: transaction)
    if payment.amount.isZero, order.state.stage == .cancelled {
      // No money was charged, so nothing is refunded.
      try orders.update(order, in: transaction)
      return try cancellation.cancelCharge(other, of: order, in: transaction)
    }
    switch try order.state.handle(.paymentSucceeded, at: transaction.now) {
    case .unchanged: try booking.refundSurplus(payment, of: order, in: transaction)
    case .paidAfterCancel:
      order.paymentID = payment.id
      try orders.update(order, in: transaction)
      try booking.refundSurplus(payment, of: order, in: transaction)
    case .changed: try markPaid(&order, by: payment, card: card, method: method, in: transaction)
    }
    try cancellation.cancelCharge(other, of: order, in: transaction)
  }

  /// A Boolean value that indicates whether a payment has the introductory price that its order has lost, because
  /// another order has used the offer.
  private func isOfLostOffer(_ payment: Payment, _ order: Order) -> Bool {
    order.offerID == nil
      && (order.firstProduct ?? order.product).message.offers.contains {
        $0.kind == .introductory && $0.price.money == payment.amount
      }
  }

  /// Marks an order as paid by a payment, books it and signs its receipt.
  private func markPaid(
    _ order: inout Order, by payment: Payment, card: CountryCode?, method: String?, in transaction: StoreTransaction
  ) throws {
    order.paymentID = payment.id
    // Another order for the same product was paid while this payment was pending.
    if !order.isRenewal, let owned = try owned.purchase(like: order, in: transaction) {
      order.recordFirstPrice()
      order.makeDuplicate(of: owned)
      try orders.update(order, in: transaction)
      try OfferCodeRecords.release(of: order, in: transaction)
      return try booking.refundSurplus(payment, of: order, in: transaction)
    }
    if order.price != payment.amount {
      // The provider charged an earlier price: the ledger records the charged amount.
      order.setPrice(payment.amount)
    }
    order.paidAt = transaction.now
    order.expiresAt = order.expiry(paidAt: transaction.now)
    try lifecycle.beginPeriod(of: &order, by: payment, with: method, in: transaction)
    try orders.update(order, in: transaction)
    let evidence = LocationEvidence(card: card, network: payment.networkCountry)
    try sales.book(order, provider: payment.provider, evidence: evidence, in: transaction)
    orders.metrics.orderPaid(in: transaction)
    try signer.sign(&order, in: transaction)
  }

  /// Cancels an order that can no longer be paid, although a payment may be pending. A payment that succeeds later is
  /// refunded, as after any cancellation.
  private func cancelIfUnpayable(_ order: inout Order, in transaction: StoreTransaction) throws {
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
