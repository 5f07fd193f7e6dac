import Foundation
import OnsideCommerce
import StoreAccounts
import StoreBase
import StorePayments

/// The payment methods of accounts, as providers report them, and the subscriptions that use them.
struct PaymentMethods: Sendable {
  let payments: PaymentRecords
  let environment: StoreEnvironment
  let lifecycle: SubscriptionLifecycle

  /// Saves a method of an account. Does nothing if the account has the method or is removed. The methods of
  /// subscriptions do not change. A setup saves a method once, because the method may have been removed before the next
  /// report.
  ///
  /// - Returns: the account if the method is new to it.
  func save(_ report: MethodReport, from provider: String, in transaction: StoreTransaction) throws -> String? {
    let transaction = try transaction.at(timeOf: report.account, in: environment)
    guard try AccountRecords.country(of: report.account, in: transaction) != nil,
      try payments.note(event: "setup:\(report.id)", of: provider, in: transaction)
    else { return nil }
    let recorded = try PaymentMethodRecords.record(
      report.details, of: provider, id: report.id, for: report.account, in: transaction)
    return recorded.isNewlySaved ? report.account : nil
  }

  /// Updates the details of a method, and charges the unpaid renewals that use it.
  func update(_ details: PaymentMethodDetails, of provider: String, in transaction: StoreTransaction) throws {
    for id in try PaymentMethodRecords.update(details, of: provider, in: transaction) {
      try lifecycle.retryRenewals(using: id, in: transaction)
    }
  }

  /// Deletes a method that its provider has detached. The renewal of its subscriptions stays on.
  func detach(_ reference: String, of provider: String, in transaction: StoreTransaction) throws {
    for id in try PaymentMethodRecords.detach(reference, of: provider, in: transaction) {
      try SubscriptionRecords.clearMethod(id, in: transaction)
    }
  }

  /// Deletes a method that its account has removed, and ends the renewals that use it.
  func remove(_ id: String, in transaction: StoreTransaction) throws {
    try lifecycle.removeMethod(id, in: transaction)
    try PaymentMethodRecords.delete(id, in: transaction)
  }

  /// Records the method of a succeeded payment: saved if its buyer wants to use it again, otherwise for a subscription
  /// alone. The sweep detaches a method that no subscription uses.
  ///
  /// - Parameter details: the method as the provider reports it, if it can be charged again.
  /// - Returns: the id of its row; nil for a method that cannot be charged again or was removed.
  func record(
    _ details: PaymentMethodDetails?, from payment: Payment, of order: Order, in transaction: StoreTransaction
  ) throws -> String? {
    if payment.isSaved {
      let reference = payment.method.map { MethodReference(provider: payment.provider, id: $0) }
      return try reference.flatMap { try PaymentMethodRecords.method($0, of: order.accountID, in: transaction)?.id }
    }
    guard let details, try AccountRecords.country(of: order.accountID, in: transaction) != nil else { return nil }
    return try PaymentMethodRecords.record(
      details, of: payment.provider, id: payment.id, for: order.accountID, isSaved: payment.remembers, in: transaction
    ).id
  }

  /// Records the method of a charge whose refund is reported before its success, so that the sweep detaches the method.
  func recordMethod(
    ofRefunded charge: ChargeReport, of order: Order, from provider: String, in transaction: StoreTransaction
  ) throws {
    let known = try payments.payment(charge.id, in: transaction)
    guard let details = charge.method, known?.state != .succeeded, known?.state != .refunded, known?.isSaved != true,
      try AccountRecords.country(of: order.accountID, in: transaction) != nil
    else { return }
    try PaymentMethodRecords.record(
      details, of: provider, id: charge.id, for: order.accountID, isSaved: false, in: transaction)
  }
}
