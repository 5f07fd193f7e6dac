import Foundation
import OnsideCommerce

/// Surplus money: a payment that pays no order, because it succeeded too late or once more. It is booked and refunded.
extension PaymentSettlement {
  /// Books a payment that pays no order as a surplus, and requests its refund. The refund has the payment's id: money
  /// that came for nothing goes back once.
  func returnSurplus(_ payment: Payment, of order: Order, in transaction: StoreTransaction) throws {
    try ledger.surplus(payment, of: order, in: transaction)
    try returnRest(payment.id, of: payment, order: order, from: .store, in: transaction)
  }

  /// Asks once more for the refund of a surplus that failed; nil when none has, or when nothing is left of it.
  func askSurplusAgain(_ id: String, of order: Order, in transaction: StoreTransaction) throws -> Refund? {
    let refunds = try RefundRecords.refunds(of: order.id, in: transaction).filter(\.isSurplus)
    for owed in refunds.reversed() where owed.state == .failed {
      // It is repeated already: the order's price is not meant.
      if let other = refunds.first(where: { $0.paymentID == owed.paymentID && $0.state == .asked }) { return other }
      guard let payment = try owed.paymentID.flatMap({ try payments.payment($0, in: transaction) }) else { continue }
      if let refund = try returnRest(id, of: payment, order: order, from: .operator, in: transaction) { return refund }
    }
    return nil
  }

  /// Asks for what is left of a surplus: a part may have gone back otherwise, and what a bank has taken is with the
  /// buyer, too. Nil when nothing is left or a refund is under way.
  @discardableResult
  func returnRest(
    _ id: String, of payment: Payment, order: Order, from origin: Refund.Origin, in transaction: StoreTransaction
  ) throws -> Refund? {
    guard try Ledger.hasSurplus(of: order.id, payment: payment.id, in: transaction) else { return nil }
    let refunds = try RefundRecords.refunds(of: order.id, in: transaction)
      .filter { $0.paymentID == payment.id && $0.state != .failed }
    let left = payment.amount.minorUnits - refunds.reduce(0) { $0 + $1.amount.minorUnits }
    guard left > 0, !refunds.contains(where: { $0.state == .asked }) else { return nil }
    let refund = Refund(
      id: id, orderID: order.id, paymentID: payment.id,
      amount: Money(minorUnits: left, currency: payment.amount.currency), isSurplus: true, reason: .refund,
      origin: origin, state: .asked, askedAt: transaction.now)
    guard try RefundRecords.insert(refund, in: transaction) else { return nil }
    try request(refund, of: payment, in: transaction)
    return refund
  }
}
