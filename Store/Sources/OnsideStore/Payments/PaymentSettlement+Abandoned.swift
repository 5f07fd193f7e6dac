import OnsideAPI
import OnsideCommerce
import StoreBase

/// Charges that were begun and that nobody waits for any more: their order was given up or paid otherwise, or another
/// try has taken their place. They are cancelled at the provider, so that a page that is still open cannot pay them.
extension PaymentSettlement {
  /// Cancels an open order and the charge that was begun for it; leaves any other order as it is. An order for a plan
  /// that the account has already ends as its duplicate instead, because an owned plan is delivered.
  func cancel(_ order: inout Order, because reason: CancelReason, in transaction: StoreTransaction) throws {
    if let owned = try duplicateTarget(of: order, in: transaction) {
      return try endAsDuplicate(&order, of: owned, in: transaction)
    }
    guard try orders.cancel(&order, because: reason, in: transaction) else { return }
    try abandon(order.paymentID, of: order, in: transaction)
  }

  /// Writes the outbox row that cancels a charge at its provider. One that has ended needs none. One that is being
  /// started or confirmed has a row of its own: its delivery, or what the provider then tells, abandons it.
  func abandon(_ id: String?, of order: Order, in transaction: StoreTransaction) throws {
    guard let payment = try id.flatMap({ try payments.payment($0, in: transaction) }), payment.isOurs,
      payment.state == .secondStep || payment.state == .declined, payment.reference != nil
    else { return }
    // Without the account, which may be about to be removed: the provider's own id names the charge.
    let request = ChargeRequest(
      payment, account: "", environment: environment, askedAt: transaction.storeNow)
    try outbox.add(
      PaymentOutboxKind.cancel, payload: try OutboxPayload.text(request), due: transaction.now,
      in: transaction)
  }
}

extension Order {
  /// Whether the order waits for the money of a payment.
  func awaits(payment id: String) -> Bool {
    (state.stage == .open || state.stage == .processing) && (paymentID == nil || paymentID == id)
  }
}
