import Foundation
import OnsideCommerce
import StoreAccounts
import StoreBase
import StorePayments

/// Disputes that providers report. Each event sets its own fact, so that the order of the events does not matter.
struct DisputeSettlement: Sendable {
  let orders: OrderRecords
  let payments: PaymentRecords
  let ledger: Ledger
  let booking: RefundBooking
  let lifecycle: SubscriptionLifecycle
  let grants: PurchaseGrants
  let refunds: RefundSettlement

  /// Inserts a dispute, or updates the reported facts of a known one.
  ///
  /// - Returns: the dispute in its present state.
  @discardableResult
  func record(
    _ report: ProviderDispute, of charge: ChargeReport, from provider: String, order: Order,
    in transaction: StoreTransaction
  ) throws -> Dispute {
    guard let payment = try payments.payment(charge.id, in: transaction), payment.orderID == order.id,
      payment.provider == provider
    else { throw PaymentError.notFound }
    // Otherwise the withdrawal would be booked before the sale. The provider's event is applied again later.
    guard payment.state == .succeeded || payment.state == .refunded else {
      throw PaymentError.invalidEvent("Expected a payment that has succeeded before its dispute.")
    }
    guard report.amount.currency == payment.amount.currency else {
      throw PaymentAmountMismatch(payment: payment.id, expected: payment.amount, found: report.amount)
    }
    let new = Dispute(
      id: "\(provider):\(report.reference)", orderID: order.id, paymentID: payment.id, amount: report.amount,
      reason: report.reason, state: .open, isWithdrawn: false, openedAt: transaction.now, answerBy: report.answerBy)
    if try DisputeRecords.insert(new, in: transaction) {
      orders.metrics.disputeOpened(in: transaction)
      return new
    }
    guard var known = try DisputeRecords.dispute(new.id, in: transaction) else { throw PaymentError.notFound }
    known.answerBy = report.answerBy
    known.reason = report.reason
    // The booked amount does not change: the bank takes the money of a dispute once.
    if try RefundRecords.refund(known.id, in: transaction) == nil { known.amount = report.amount }
    try DisputeRecords.update(known, in: transaction)
    return known
  }

  /// Books the withdrawal of the disputed money by the bank, as a refund that the bank has made.
  func withdraw(
    _ report: ProviderDispute, of charge: ChargeReport, from provider: String, order: inout Order,
    in transaction: StoreTransaction
  ) throws {
    var dispute = try record(report, of: charge, from: provider, order: order, in: transaction)
    // Once: the money is not withdrawn again after its return.
    guard try RefundRecords.refund(dispute.id, in: transaction) == nil else { return }
    let isSurplus = try Ledger.hasSurplus(of: order.id, payment: dispute.paymentID, in: transaction)
    let refund = Refund(
      id: dispute.id, orderID: order.id, paymentID: dispute.paymentID, amount: dispute.amount, isSurplus: isSurplus,
      reason: .chargeback, origin: .bank, state: .settled, reference: dispute.id, askedAt: transaction.now,
      endedAt: transaction.now)
    guard try RefundRecords.insert(refund, in: transaction) else { return }
    dispute.isWithdrawn = true
    try DisputeRecords.update(dispute, in: transaction)
    try booking.book(refund, of: order, in: transaction)
    guard try dispute.state == .lost || AppRecords.rules(of: order.appID, in: transaction).dispute == .withdrawn
    else { return }
    try refunds.revoke(&order, after: refund, in: transaction)
    try grants.grantIfOwed(order, because: .dispute(dispute), in: transaction)
  }

  /// Books the return of the disputed money by the bank. The end of the dispute, or the return of the money if that is
  /// reported later, grants a revoked purchase again.
  func reinstate(
    _ report: ProviderDispute, of charge: ChargeReport, from provider: String, order: inout Order,
    in transaction: StoreTransaction
  ) throws {
    var dispute = try record(report, of: charge, from: provider, order: order, in: transaction)
    guard var refund = try RefundRecords.refund(dispute.id, in: transaction) else {
      throw PaymentError.invalidEvent("Expected that the money of a dispute was taken before it comes back.")
    }
    guard refund.state != .failed else { return }
    (refund.state, refund.endedAt, refund.failure) = (.failed, transaction.now, "dispute won")
    try RefundRecords.update(refund, in: transaction)
    dispute.isWithdrawn = false
    try DisputeRecords.update(dispute, in: transaction)
    let total = try RefundRecords.refunds(of: order.id, in: transaction).total
    try ledger.refundFailed(refund, of: order, total: total, in: transaction)
    if refund.isSurplus, let payment = try payments.payment(dispute.paymentID, in: transaction) {
      // The returned money is of a surplus payment.
      try booking.refundRest("\(refund.id):won", of: payment, order: order, in: transaction)
      return
    }
    try refunds.repeatHeldRefunds(of: &order, in: transaction)
    try grants.grantIfOwed(order, because: .dispute(dispute), in: transaction)
  }
}
