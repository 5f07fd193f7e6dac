import Foundation
import OnsideCommerce
import StoreAccounts
import StoreBase
import StorePayments

/// The ends of disputes, and early fraud warnings.
extension DisputeSettlement {
  /// Closes a dispute. A won dispute releases a delayed charge; a lost one revokes the purchase.
  func close(
    _ report: ProviderDispute, of charge: ChargeReport, as outcome: DisputeOutcome, from provider: String,
    order: inout Order, in transaction: StoreTransaction
  ) throws {
    var dispute = try record(report, of: charge, from: provider, order: order, in: transaction)
    guard dispute.closedAt == nil else { return }
    (dispute.state, dispute.closedAt) = (outcome == .won ? .won : .lost, transaction.now)
    try DisputeRecords.update(dispute, in: transaction)
    if outcome == .won {
      try lifecycle.retryHeldCharge(for: order, in: transaction)
    } else if let refund = try RefundRecords.refund(dispute.id, in: transaction) {
      if refund.isSurplus, let payment = try payments.payment(dispute.paymentID, in: transaction) {
        // The bank may have taken only a part.
        try booking.refundRest("\(refund.id):lost", of: payment, order: order, in: transaction)
      }
      // By the other rule of the app, the withdrawal has revoked it.
      try refunds.revoke(&order, after: refund, in: transaction)
    }
    try refunds.repeatHeldRefunds(of: &order, in: transaction)
    // A refund of money that the bank has not taken may have failed meanwhile.
    try grants.grantIfOwed(order, because: .dispute(dispute), in: transaction)
  }

  /// Records an early fraud warning, and refunds the payment by the app's rule, before the buyer's bank takes the
  /// money.
  func warn(
    _ reference: String, of charge: ChargeReport, from provider: String, order: inout Order,
    in transaction: StoreTransaction
  ) throws {
    guard let payment = try payments.payment(charge.id, in: transaction), payment.orderID == order.id,
      payment.provider == provider
    else { throw PaymentError.notFound }
    guard payment.state == .succeeded || payment.state == .refunded else {
      throw PaymentError.invalidEvent("Expected a payment that has succeeded before a warning about it.")
    }
    let warning = Dispute(
      id: "\(provider):\(reference)", orderID: order.id, paymentID: payment.id, amount: payment.amount,
      reason: "early_fraud_warning", state: .warning, isWithdrawn: false, openedAt: transaction.now)
    guard try DisputeRecords.insert(warning, in: transaction) else { return }
    orders.metrics.disputeOpened(in: transaction)
    let earlier = try RefundRecords.refunds(of: order.id, in: transaction)
    guard try AppRecords.rules(of: order.appID, in: transaction).fraud == .refund, payment.state == .succeeded,
      order.paymentID == payment.id, order.state.stage == .paid,
      // The operator may have closed a failed refund, because the buyer has the money in another way.
      !earlier.contains(where: \.isClosed)
    else { return }
    do {
      _ = try refunds.refund(
        warning.id, of: &order, amount: nil, because: .refund, from: .store, in: transaction)
    } catch is RefundError {
      // The payment is disputed, or the order is refunded: nothing is left to refund.
    } catch is OrderTransitionError {
      // The payment has not paid the order: it is refunded as a surplus.
    }
  }
}
