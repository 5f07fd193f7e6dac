import Foundation
import OnsideCommerce
import StoreAccounts
import StoreBase
import StorePayments

/// Applies the events of payment providers to orders, payment methods and the ledger.
package struct ProviderEvents: Sendable {
  let orders: OrderRecords
  let payments: PaymentRecords
  let ledger: Ledger
  let environment: StoreEnvironment
  let methods: PaymentMethods
  let charges: ChargeSettlement
  let refunds: RefundSettlement
  let disputes: DisputeSettlement

  /// Applies an event. A repeated event changes nothing.
  ///
  /// - Returns: the account whose devices are to be woken.
  /// - Throws: ``PaymentError/notFound`` for a charge of an order that the store does not have.
  func apply(
    _ event: ProviderEvent.Kind, from provider: String, in transaction: StoreTransaction
  ) throws -> String? {
    switch event {
    case .succeeded(let charge): return try apply(.succeeded, of: charge, from: provider, in: transaction)
    case .declined(let charge, let reason):
      return try apply(.declined(reason), of: charge, from: provider, in: transaction)
    case .pending(let charge): return try apply(.pending, of: charge, from: provider, in: transaction)
    case .requiresAction(let charge): return try apply(.requiresAction, of: charge, from: provider, in: transaction)
    case .cancelled(let charge): return try apply(.cancelled, of: charge, from: provider, in: transaction)
    case .refunded(let charge, let report):
      return try withOrder(of: charge, from: provider, in: transaction) {
        try refunds.apply(report, of: charge, from: provider, to: &$0, in: $1)
      }
    case .refundFailed(let charge, let report):
      return try withOrder(of: charge, from: provider, in: transaction) {
        try refunds.applyFailure(report, of: charge, from: provider, to: &$0, in: $1)
      }
    case .disputeOpened(let charge, let report):
      return try withOrder(of: charge, from: provider, in: transaction) {
        try disputes.record(report, of: charge, from: provider, order: $0, in: $1)
      }
    case .fundsWithdrawn(let charge, let report):
      return try withOrder(of: charge, from: provider, in: transaction) {
        try disputes.withdraw(report, of: charge, from: provider, order: &$0, in: $1)
      }
    case .fundsReinstated(let charge, let report):
      return try withOrder(of: charge, from: provider, in: transaction) {
        try disputes.reinstate(report, of: charge, from: provider, order: &$0, in: $1)
      }
    case .disputeClosed(let charge, let report, let outcome):
      return try withOrder(of: charge, from: provider, in: transaction) {
        try disputes.close(report, of: charge, as: outcome, from: provider, order: &$0, in: $1)
      }
    case .earlyFraudWarning(let charge, let reference):
      return try withOrder(of: charge, from: provider, in: transaction) {
        try disputes.warn(reference, of: charge, from: provider, order: &$0, in: $1)
      }
    case .methodSaved(let report): return try methods.save(report, from: provider, in: transaction)
    case .methodUpdated(let details): try methods.update(details, of: provider, in: transaction)
    case .methodDetached(let reference): try methods.detach(reference, of: provider, in: transaction)
    case .payout(let payout): try ledger.providerPayout(payout, from: provider, in: transaction)
    }
    return nil
  }

  private func apply(
    _ state: ChargeState, of charge: ChargeReport, from provider: String, in transaction: StoreTransaction
  ) throws -> String {
    try withOrder(of: charge, from: provider, in: transaction) {
      try charges.apply(state, of: charge, from: provider, to: &$0, in: $1)
    }
  }

  /// Applies an event to the order of its charge at the time of the account, then books the fees of the charge.
  ///
  /// - Returns: the account of the order.
  private func withOrder(
    of charge: ChargeReport, from provider: String, in transaction: StoreTransaction,
    _ settle: (inout Order, StoreTransaction) throws -> Void
  ) throws -> String {
    guard var order = try order(of: charge, in: transaction) else { throw PaymentError.notFound }
    let transaction = try transaction.at(timeOf: order.accountID, in: environment)
    try settle(&order, transaction)
    for fee in charge.fees { try ledger.fee(fee, of: order, provider: provider, in: transaction) }
    return order.accountID
  }

  /// Returns the order of a charge. An adopted charge of a renewal may name the order of another copy of the database.
  private func order(of charge: ChargeReport, in transaction: StoreTransaction) throws -> Order? {
    if let payment = try payments.payment(charge.id, in: transaction), payment.orderID != charge.orderID,
      let adopting = try orders.order(payment.orderID, in: transaction), adopting.isRenewal
    {
      return adopting
    }
    return try orders.order(charge.orderID, in: transaction)
  }
}
