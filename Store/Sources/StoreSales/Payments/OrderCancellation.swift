import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase
import StorePayments

/// The end of orders that are not paid: cancelled, or duplicates of owned orders. Their charges are cancelled at the
/// provider, so that a page that is still open cannot pay them.
struct OrderCancellation: Sendable {
  let orders: OrderRecords
  let payments: PaymentRecords
  let owned: OwnedPurchases
  let environment: StoreEnvironment
  let outbox: OutboxRecords

  /// Cancels an open order and its unfinished charge. An order in another state does not change. An order for a plan
  /// that the account owns ends as its duplicate instead, so that the app gets the owned plan.
  func cancel(_ order: inout Order, because reason: CancelReason, in transaction: StoreTransaction) throws {
    if let owned = try owned.duplicateTarget(of: order, in: transaction) {
      return try endAsDuplicate(&order, of: owned, in: transaction)
    }
    guard try orders.cancel(&order, because: reason, in: transaction) else { return }
    try cancelCharge(order.paymentID, of: order, in: transaction)
  }

  /// Ends an open order as the duplicate of an owned one, and cancels its unfinished charge.
  ///
  /// - Parameter offerIsAccepted: whether the offer of the order applies to the next renewal; otherwise its code is
  ///   released.
  func endAsDuplicate(
    _ order: inout Order, of owned: Order, offerIsAccepted: Bool = false, in transaction: StoreTransaction
  ) throws {
    order.recordFirstPrice()
    order.makeDuplicate(of: owned)
    try orders.update(order, in: transaction)
    if !offerIsAccepted { try OfferCodeRecords.release(of: order, in: transaction) }
    try cancelCharge(order.paymentID, of: order, in: transaction)
  }

  /// Inserts the outbox row that cancels a charge at its provider. A charge that has ended needs none. A charge whose
  /// start or confirmation is pending has an outbox row: its delivery, or the provider's next event, cancels the
  /// charge.
  func cancelCharge(_ id: String?, of order: Order, in transaction: StoreTransaction) throws {
    guard let payment = try id.flatMap({ try payments.payment($0, in: transaction) }), payment.isOurs,
      payment.state == .secondStep || payment.state == .declined, payment.reference != nil
    else { return }
    // The row has no account, because the account may be about to be removed. The reference identifies the charge.
    let request = ChargeRequest(
      payment, account: "", environment: environment, askedAt: transaction.storeNow)
    try outbox.add(
      PaymentOutboxKind.cancel, payload: try OutboxPayload.text(request), due: transaction.now,
      in: transaction)
  }
}

extension Order {
  /// A Boolean value that indicates whether the payment with an id can pay the order.
  func awaits(payment id: String) -> Bool {
    (state.stage == .open || state.stage == .processing) && (paymentID == nil || paymentID == id)
  }

  /// Makes the order the duplicate of an owned one: paid, without a charge and without a ledger entry.
  mutating func makeDuplicate(of owned: Order) {
    state = .ownedAlready
    paidAt = owned.paidAt
    expiresAt = owned.expiresAt
    duplicateOf = owned.id
    receipt = owned.receipt
  }
}
