import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// Refunds of orders: requested by the store, reported by providers, failed and repeated. Revokes purchases by the
/// rules of their apps, with their periods and grants.
package final class RefundSettlement: Sendable {
  let orders: OrderRecords
  let payments: PaymentRecords
  let ledger: Ledger
  /// The ids of repeated refunds, which a restored database repeats.
  let derivedIDs: DerivedID
  let orderPayments: OrderPayments
  let signer: ReceiptSigner
  let booking: RefundBooking
  let lifecycle: SubscriptionLifecycle
  let methods: PaymentMethods
  let grants: PurchaseGrants

  init(
    orders: OrderRecords, payments: PaymentRecords, ledger: Ledger, derivedIDs: DerivedID, orderPayments: OrderPayments,
    signer: ReceiptSigner, booking: RefundBooking, lifecycle: SubscriptionLifecycle, methods: PaymentMethods,
    grants: PurchaseGrants
  ) {
    self.orders = orders
    self.payments = payments
    self.ledger = ledger
    self.derivedIDs = derivedIDs
    self.orderPayments = orderPayments
    self.signer = signer
    self.booking = booking
    self.lifecycle = lifecycle
    self.methods = methods
    self.grants = grants
  }

  /// Books a refund of a paid order, and inserts the outbox row that requests it from the provider. Returns nil if the
  /// order is refunded and revoked.
  ///
  /// - Parameter amount: the amount; nil for the unrefunded part of the price.
  func refund(
    _ id: String, of order: inout Order, amount: Money?, because reason: RevocationReason,
    from origin: Refund.Origin = .operator, in transaction: StoreTransaction
  ) throws -> Refund? {
    if let original = order.reinstates, order.cause?.isByOperator != true { throw RefundError.grant(of: original) }
    let isPaid = order.state.stage == .paid && order.duplicateOf == nil
    if !isPaid, let owed = try RefundRecords.owed(of: order.id, in: transaction).first {
      throw RefundError.owed(owed.refund.id)
    }
    // A duplicate of an owned order was never charged.
    guard order.duplicateOf == nil else { throw OrderTransitionError.notPaid }
    if order.state.owesRefund { return try endOwedRefund(&order, because: reason, in: transaction) }
    guard order.state.stage == .paid else {
      if order.state.revocation != nil { return nil }
      throw OrderTransitionError.notPaid
    }
    if let paid = order.paymentID, let held = try DisputeRecords.holding(paid, of: order.id, in: transaction) {
      throw RefundError.disputed(held.id)
    }
    let left = try left(of: order, in: transaction)
    if let amount { try check(amount, left: left, of: order, in: transaction) }
    if amount == nil, left.isZero, order.state.revocation != nil { return nil }
    var refund = Refund(
      id: id, orderID: order.id, paymentID: order.paymentID, amount: amount ?? left, isSurplus: false, reason: reason,
      origin: origin, state: .asked, askedAt: transaction.now)
    let payment = try order.paymentID.flatMap { try payments.payment($0, in: transaction) }
    // No money moves, or the order has no payment to refund.
    if refund.amount.isZero || payment == nil { (refund.state, refund.endedAt) = (.settled, transaction.now) }
    guard try RefundRecords.insert(refund, in: transaction) else { return refund }
    try RefundRecords.replaceOwed(by: refund, in: transaction)
    try bookAndRevoke(refund, of: &order, in: transaction)
    if let payment, refund.state == .asked { try booking.enqueue(refund, of: payment, in: transaction) }
    return refund
  }

  private func check(_ amount: Money, left: Money, of order: Order, in transaction: StoreTransaction) throws {
    guard amount.currency == left.currency else {
      throw RefundError.currency(asked: amount.currency, expected: left.currency)
    }
    guard amount.minorUnits > 0, amount.minorUnits <= left.minorUnits else {
      throw RefundError.amount(asked: amount, left: left)
    }
    let step = try booking.step(of: order, in: transaction)
    guard amount == left || amount.minorUnits.isMultiple(of: step.minorUnits) else {
      throw RefundError.step(asked: amount, step: step)
    }
  }

  /// Returns the unrefunded part of an order's price.
  private func left(of order: Order, in transaction: StoreTransaction) throws -> Money {
    guard try !Ledger.hasUnrecordedRefund(of: order.id, in: transaction) else { return .zero(order.price.currency) }
    let total = try RefundRecords.refunds(of: order.id, in: transaction).total
    return Money(minorUnits: max(0, order.price.minorUnits - total), currency: order.price.currency)
  }

  /// Ends an order whose payment succeeded after its cancellation. Its refund was requested at that time.
  private func endOwedRefund(
    _ order: inout Order, because reason: RevocationReason, in transaction: StoreTransaction
  ) throws -> Refund? {
    guard try order.state.handle(.refunded(reason), at: transaction.now) == .changed else { return nil }
    try orders.update(order, in: transaction)
    return try RefundRecords.refunds(of: order.id, in: transaction).last
  }
}
