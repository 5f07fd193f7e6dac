import Foundation
import Logging
import OnsideCommerce
import StoreBase

/// What providers tell of disputes. Each event sets its own fact, so that their order says nothing.
extension PaymentSettlement {
  /// Applies a provider's report of a dispute.
  func applyDispute(
    _ event: ProviderEvent.Kind, from provider: String, to order: inout Order, in transaction: StoreTransaction
  ) throws {
    switch event {
    case .disputeOpened(let charge, let told):
      _ = try dispute(told, of: charge, from: provider, order: order, in: transaction)
    case .fundsWithdrawn(let charge, let told):
      var dispute = try dispute(told, of: charge, from: provider, order: order, in: transaction)
      try withdraw(&dispute, from: &order, in: transaction)
    case .fundsReinstated(let charge, let told):
      var dispute = try dispute(told, of: charge, from: provider, order: order, in: transaction)
      try bookBack(&dispute, to: &order, in: transaction)
    case .disputeClosed(let charge, let told, let outcome):
      var dispute = try dispute(told, of: charge, from: provider, order: order, in: transaction)
      try close(&dispute, as: outcome, order: &order, in: transaction)
    case .earlyFraudWarning(let charge, let reference):
      try warn(reference, of: charge, from: provider, order: &order, in: transaction)
    default: break
    }
  }

  /// The store's record of a dispute, with what the provider says now.
  private func dispute(
    _ told: ProviderDispute, of charge: ChargeReport, from provider: String, order: Order,
    in transaction: StoreTransaction
  ) throws -> Dispute {
    guard let payment = try payments.payment(charge.id, in: transaction), payment.orderID == order.id,
      payment.provider == provider
    else { throw PaymentError.notFound }
    // Else its withdrawal would be booked before its sale. The provider's event is applied again later.
    guard payment.state == .succeeded || payment.state == .refunded else {
      throw PaymentError.invalidEvent("Expected a payment that has succeeded before its dispute.")
    }
    guard told.amount.currency == payment.amount.currency else {
      throw PaymentAmountMismatch(payment: payment.id, expected: payment.amount, found: told.amount)
    }
    let new = Dispute(
      id: "\(provider):\(told.reference)", orderID: order.id, paymentID: payment.id, amount: told.amount,
      reason: told.reason, state: .open, isWithdrawn: false, openedAt: transaction.now, answerBy: told.answerBy)
    if try DisputeRecords.insert(new, in: transaction) {
      orders.metrics.disputeOpened(in: transaction)
      return new
    }
    guard var known = try DisputeRecords.dispute(new.id, in: transaction) else { throw PaymentError.notFound }
    known.answerBy = told.answerBy
    known.reason = told.reason
    // What was booked stays: the bank takes the money of a dispute once.
    if try RefundRecords.refund(known.id, in: transaction) == nil { known.amount = told.amount }
    try DisputeRecords.update(known, in: transaction)
    return known
  }

  /// Books that the bank has taken the money. It goes back to the buyer, so that it is a refund that nobody asked for.
  private func withdraw(_ dispute: inout Dispute, from order: inout Order, in transaction: StoreTransaction) throws {
    // Once: money that came back after this is not taken again.
    guard try RefundRecords.refund(dispute.id, in: transaction) == nil else { return }
    let isSurplus = try Ledger.hasSurplus(of: order.id, payment: dispute.paymentID, in: transaction)
    let refund = Refund(
      id: dispute.id, orderID: order.id, paymentID: dispute.paymentID, amount: dispute.amount, isSurplus: isSurplus,
      reason: .chargeback, origin: .bank, state: .settled, reference: dispute.id, askedAt: transaction.now,
      endedAt: transaction.now)
    guard try RefundRecords.insert(refund, in: transaction) else { return }
    dispute.isWithdrawn = true
    try DisputeRecords.update(dispute, in: transaction)
    try requests.book(refund, of: order, in: transaction)
    guard try dispute.state == .lost || AppRecords.rules(of: order.appID, in: transaction).dispute == .withdrawn
    else { return }
    try revoke(&order, after: refund, in: transaction)
    try grantIfOwed(order, because: .dispute(dispute), in: transaction)
  }

  /// Books that the bank has returned the money. A purchase that was revoked for it is granted again once the dispute
  /// is closed, whichever is reported first.
  private func bookBack(
    _ dispute: inout Dispute, to order: inout Order, in transaction: StoreTransaction
  ) throws {
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
      // The money has paid nothing, and is here again.
      try requests.refundRest("\(refund.id):won", of: payment, order: order, in: transaction)
      return
    }
    try repeatHeldRefunds(of: &order, in: transaction)
    try grantIfOwed(order, because: .dispute(dispute), in: transaction)
  }

  private func close(
    _ dispute: inout Dispute, as outcome: DisputeOutcome, order: inout Order, in transaction: StoreTransaction
  ) throws {
    guard dispute.closedAt == nil else { return }
    (dispute.state, dispute.closedAt) = (outcome == .won ? .won : .lost, transaction.now)
    try DisputeRecords.update(dispute, in: transaction)
    if outcome == .won {
      try lifecycle.retryHeldCharge(for: order, in: transaction)
    } else if let refund = try RefundRecords.refund(dispute.id, in: transaction) {
      if refund.isSurplus, let payment = try payments.payment(dispute.paymentID, in: transaction) {
        // The bank may have taken a part only.
        try requests.refundRest("\(refund.id):lost", of: payment, order: order, in: transaction)
      }
      // Under the other rule it was revoked before.
      try revoke(&order, after: refund, in: transaction)
    }
    try repeatHeldRefunds(of: &order, in: transaction)
    // Meanwhile a refund may have failed, of money that the bank never took, or of more than it took.
    try grantIfOwed(order, because: .dispute(dispute), in: transaction)
  }

  /// Writes a warning down, and by the app's rule gives the money back before the buyer's bank takes it.
  private func warn(
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
    let refunds = try RefundRecords.refunds(of: order.id, in: transaction)
    guard try AppRecords.rules(of: order.appID, in: transaction).fraud == .refund, payment.state == .succeeded,
      order.paymentID == payment.id, order.state.stage == .paid,
      // The buyer may have the money in another way.
      !refunds.contains(where: \.isClosed)
    else { return }
    do {
      _ = try askRefund(
        warning.id, of: &order, amount: nil, because: .refund, from: .store, in: transaction)
    } catch is RefundError {
      // Disputed already, or nothing is left: there is nothing to give back.
    } catch is OrderTransitionError {
      // The payment has paid nothing: its money goes back anyway.
    }
  }
}
