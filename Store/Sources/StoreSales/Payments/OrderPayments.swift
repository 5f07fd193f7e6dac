import Foundation
import OnsideCommerce
import StoreBase
import StorePayments

/// The states of payments, and the references of orders to their payments.
struct OrderPayments: Sendable {
  let orders: OrderRecords
  let payments: PaymentRecords

  /// Records the state of a payment. Inserts a payment that the store did not start: it was made on the provider's
  /// page.
  ///
  /// - Returns: the payment; nil if the event changes nothing.
  func record(
    _ charge: ChargeReport, of order: Order, from provider: String, state: Payment.State,
    decline: DeclineReason? = nil, in transaction: StoreTransaction
  ) throws -> Payment? {
    let new = Payment(
      id: charge.id, orderID: order.id, provider: provider, method: nil, amount: charge.amount, state: state,
      decline: decline, reference: charge.reference)
    if try payments.insert(new, in: transaction) {
      orders.metrics.paymentReported(state, in: transaction)
      return new
    }
    guard var known = try payments.payment(charge.id, in: transaction), known.orderID == order.id,
      known.provider == provider
    else { throw PaymentError.notFound }
    guard known.state.mayBecome(state) else { return nil }
    guard known.amount == charge.amount else {
      throw PaymentAmountMismatch(payment: charge.id, expected: known.amount, found: charge.amount)
    }
    known.state = state
    known.decline = decline
    known.reference = charge.reference ?? known.reference
    try payments.save(known, in: transaction)
    orders.metrics.paymentReported(state, in: transaction)
    return known
  }

  /// Applies the event of a payment to its order, and makes the payment the current one of the order.
  func transition(
    _ order: inout Order, event: OrderEvent, paymentID: String, in transaction: StoreTransaction
  ) throws {
    guard try order.state.handle(event, at: transaction.now) == .changed else { return }
    order.paymentID = paymentID
    try orders.update(order, in: transaction)
  }
}
