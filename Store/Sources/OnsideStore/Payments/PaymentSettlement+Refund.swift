import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// Refunds of orders that the store asks for.
extension PaymentSettlement {
  /// Books a refund of a paid order, and writes the outbox row that asks the provider for it; nil when all has gone
  /// back already.
  ///
  /// - Parameter amount: how much; nil for all that is left.
  func askRefund(
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
    // Nothing is to be moved, or there is nobody to move it.
    if refund.amount.isZero || payment == nil { (refund.state, refund.endedAt) = (.settled, transaction.now) }
    guard try RefundRecords.insert(refund, in: transaction) else { return refund }
    try RefundRecords.replaceOwed(by: refund, in: transaction)
    try book(refund, of: &order, in: transaction)
    if let payment, refund.state == .asked { try requests.enqueue(refund, of: payment, in: transaction) }
    return refund
  }

  private func check(_ amount: Money, left: Money, of order: Order, in transaction: StoreTransaction) throws {
    guard amount.currency == left.currency else {
      throw RefundError.currency(asked: amount.currency, expected: left.currency)
    }
    guard amount.minorUnits > 0, amount.minorUnits <= left.minorUnits else {
      throw RefundError.amount(asked: amount, left: left)
    }
    let step = try requests.step(of: order, in: transaction)
    guard amount == left || amount.minorUnits.isMultiple(of: step.minorUnits) else {
      throw RefundError.step(asked: amount, step: step)
    }
  }

  /// What is left of an order's price.
  private func left(of order: Order, in transaction: StoreTransaction) throws -> Money {
    guard try !Ledger.hasUnrecordedRefund(of: order.id, in: transaction) else { return .zero(order.price.currency) }
    let total = try RefundRecords.refunds(of: order.id, in: transaction).total
    return Money(minorUnits: max(0, order.price.minorUnits - total), currency: order.price.currency)
  }

  /// Ends an order whose money came after its cancellation: its refund was asked for when the money came.
  private func endOwedRefund(
    _ order: inout Order, because reason: RevocationReason, in transaction: StoreTransaction
  ) throws -> Refund? {
    guard try order.state.handle(.refunded(reason), at: transaction.now) == .changed else { return nil }
    try orders.update(order, in: transaction)
    return try RefundRecords.refunds(of: order.id, in: transaction).last
  }

  /// Books a refund of an order's price that was just written, and takes the purchase away by the app's rule.
  func book(_ refund: Refund, of order: inout Order, in transaction: StoreTransaction) throws {
    try requests.book(refund, of: order, in: transaction)
    try revoke(&order, after: refund, in: transaction)
  }

  /// Revokes a purchase after a refund, by the app's rule, and the grants that replace a revoked one. A refund of the
  /// whole price approves the buyer's request.
  func revoke(_ order: inout Order, after refund: Refund, in transaction: StoreTransaction) throws {
    guard !refund.isSurplus, order.duplicateOf == nil, order.state.stage == .paid else { return }
    let refunds = try RefundRecords.refunds(of: order.id, in: transaction)
    let isWhole = refunds.total >= order.price.minorUnits
    if isWhole { try BuyerRefundRequestRecords.decide(order.id, as: .granted, in: transaction) }
    guard try isRevoking(refunds, of: order, in: transaction) else { return }
    if try revoke(&order, because: refund.reason, in: transaction) {
      orders.metrics.orderRefunded(in: transaction)
    } else {
      try revokeGrants(of: order, because: refund.reason, in: transaction)
    }
  }

  private func revokeGrants(
    of order: Order, because reason: RevocationReason, in transaction: StoreTransaction
  ) throws {
    for var grant in try orders.orders(.grants(of: order.id), of: order.customer, in: transaction) {
      _ = try revoke(&grant, because: reason, in: transaction)
    }
  }

  /// Revokes a purchase with its duplicates, and the period that it paid; false when it was revoked before.
  private func revoke(
    _ order: inout Order, because reason: RevocationReason, in transaction: StoreTransaction
  ) throws -> Bool {
    guard try order.state.handle(.refunded(reason), at: transaction.now) == .changed else { return false }
    try orders.update(order, in: transaction)
    try signer.sign(&order, in: transaction)
    try revokeDuplicates(of: order, in: transaction)
    try lifecycle.revokePeriod(of: order, in: transaction)
    return true
  }

  /// Whether refunds take a purchase away, by the app's rule.
  func isRevoking(_ refunds: [Refund], of order: Order, in transaction: StoreTransaction) throws -> Bool {
    guard refunds.total < order.price.minorUnits else { return true }
    // Unused time that is refunded revokes nothing.
    return try refunds.contains { !$0.origin.isOfUnusedTime && !$0.isSurplus && $0.state != .failed }
      && AppRecords.rules(of: order.appID, in: transaction).refund == .any
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
