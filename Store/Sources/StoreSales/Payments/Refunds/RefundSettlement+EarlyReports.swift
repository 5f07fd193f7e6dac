import Foundation
import OnsideCommerce
import StoreBase
import StorePayments

/// Refunds that are reported before the success of their payments.
extension RefundSettlement {
  /// Applies a refund that is reported before its payment. The payment does not count, and the order is open again.
  func applyEarly(
    _ report: ProviderRefund, of charge: ChargeReport, from provider: String, to order: inout Order, isWhole: Bool,
    in transaction: StoreTransaction
  ) throws {
    if let known = try payments.payment(charge.id, in: transaction) {
      try match(charge, with: known, of: order, from: provider)
      guard known.state != .refunded else {
        if isWhole, try isUnbooked(known, in: transaction) {
          return try bookReturned(report, of: known, order: order, in: transaction)
        }
        return try check(report, isKnownOf: known, from: provider, in: transaction)
      }
    }
    guard isWhole else { throw PaymentError.invalidEvent("Expected a payment that has succeeded before its refund.") }
    let isCurrent = order.paymentID == nil || order.paymentID == charge.id
    let payment = try orderPayments.record(charge, of: order, from: provider, state: .refunded, in: transaction)
    guard let payment else { return }
    try bookReturned(report, of: payment, order: order, in: transaction)
    guard isCurrent, order.duplicateOf == nil else { return }
    try orderPayments.transition(&order, event: .paymentDeclined, paymentID: charge.id, in: transaction)
    try lifecycle.renewalDeclined(order, because: .later, in: transaction)
  }

  /// A Boolean value that indicates whether a refund is known by the state of its payment alone, which was reported
  /// without a reference of the refund.
  private func isUnbooked(_ payment: Payment, in transaction: StoreTransaction) throws -> Bool {
    let (order, refunds) = (payment.orderID, try RefundRecords.refunds(of: payment.orderID, in: transaction))
    return try !refunds.contains { $0.paymentID == payment.id }
      && !Ledger.hasUnrecordedRefund(of: order, in: transaction)
      && !Ledger.hasSurplus(of: order, payment: payment.id, in: transaction)
  }

  /// Books a refunded payment that the store has not recorded before, as a surplus and its refund. If the refund fails
  /// later, the surplus is owed to the buyer. Books nothing without the refund's own reference, because the failure
  /// could not be matched.
  private func bookReturned(
    _ report: ProviderRefund, of payment: Payment, order: Order, in transaction: StoreTransaction
  ) throws {
    guard !payment.amount.isZero, !report.isAnonymous else { return }
    let refund = Refund(
      id: report.id ?? "\(payment.provider):\(report.reference)", orderID: order.id, paymentID: payment.id,
      amount: payment.amount, isSurplus: true, reason: .refund, origin: .provider, state: .settled,
      reference: report.reference, askedAt: transaction.now, endedAt: transaction.now)
    guard try RefundRecords.insert(refund, in: transaction) else { return }
    try ledger.surplus(payment, of: order, in: transaction)
    try ledger.surplusReturned(refund, of: payment, order: order, in: transaction)
  }

  /// Throws if a report is of another refund of refunded money. A second refund is possible only after the failure of
  /// the first one, whose report may arrive later.
  private func check(
    _ report: ProviderRefund, isKnownOf payment: Payment, from provider: String, in transaction: StoreTransaction
  ) throws {
    let refunds = try RefundRecords.refunds(of: payment.orderID, in: transaction)
    guard !report.isAnonymous, refunds.contains(where: { $0.paymentID == payment.id }),
      refunds.match(report, of: payment.id, from: provider) == nil
    else { return }
    throw PaymentError.invalidEvent("Expected the failure of an earlier refund before another one of the same money.")
  }
}
