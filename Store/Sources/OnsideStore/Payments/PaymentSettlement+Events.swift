import Foundation
import OnsideCommerce
import StoreBase

/// What happened at a provider, applied to orders and saved methods.
extension PaymentSettlement {
  /// Applies an event; returns the account whose devices are to be told. A repeated event changes nothing. Throws
  /// ``PaymentError/notFound`` for a charge of an order that is not this store's.
  func apply(
    _ event: ProviderEvent.Kind, from provider: String, in transaction: StoreTransaction
  ) throws -> String? {
    switch event {
    case .methodSaved(let report): return try save(report, from: provider, in: transaction)
    case .methodUpdated(let details):
      for id in try PaymentMethodRecords.update(details, of: provider, in: transaction) {
        try lifecycle.retryRenewals(using: id, in: transaction)
      }
    case .methodDetached(let reference):
      for id in try PaymentMethodRecords.detach(reference, of: provider, in: transaction) {
        try SubscriptionRecords.clearMethod(id, in: transaction)
      }
    case .payout(let payout): try ledger.providerPayout(payout, from: provider, in: transaction)
    case .succeeded(let charge), .declined(let charge, _), .pending(let charge), .requiresAction(let charge),
      .cancelled(let charge), .refunded(let charge, _), .refundFailed(let charge, _), .disputeOpened(let charge, _),
      .fundsWithdrawn(let charge, _), .fundsReinstated(let charge, _), .disputeClosed(let charge, _, _),
      .earlyFraudWarning(let charge, _):
      guard var order = try order(of: charge, in: transaction) else { throw PaymentError.notFound }
      let transaction = try transaction.at(timeOf: order.accountID, in: environment)
      try apply(event, from: provider, to: &order, in: transaction)
      for fee in charge.fees { try ledger.fee(fee, of: order, provider: provider, in: transaction) }
      return order.accountID
    }
    return nil
  }

  /// The order of a charge. An adopted charge of a renewal may name the order of another copy of the database.
  private func order(of charge: ChargeReport, in transaction: StoreTransaction) throws -> Order? {
    if let payment = try payments.payment(charge.id, in: transaction), payment.orderID != charge.orderID,
      let adopting = try orders.order(payment.orderID, in: transaction), adopting.isRenewal
    {
      return adopting
    }
    return try orders.order(charge.orderID, in: transaction)
  }

  /// Applies an event of a charge to its order.
  func apply(
    _ event: ProviderEvent.Kind, from provider: String, to order: inout Order, in transaction: StoreTransaction
  ) throws {
    switch event {
    case .succeeded(let charge):
      let payment = try orderPayments.record(charge, of: order, from: provider, state: .succeeded, in: transaction)
      guard let payment else { return }
      try PaymentMethodRecords.setDeclined(false, payment, of: order.accountID, in: transaction)
      let method = try record(charge.method, from: payment, of: order, in: transaction)
      try applySuccess(of: payment, card: charge.cardCountry, method: method, to: &order, in: transaction)
    case .declined(let charge, let reason):
      try turn(
        &order, by: charge, from: provider, to: .declined, because: reason, event: .paymentDeclined, in: transaction)
    case .pending(let charge):
      try turn(&order, by: charge, from: provider, to: .pending, event: .paymentPending, in: transaction)
    case .requiresAction(let charge):
      // The provider waits for the buyer: the order is open again, and the buyer may cancel it.
      try turn(&order, by: charge, from: provider, to: .secondStep, event: .paymentDeclined, in: transaction)
    case .cancelled(let charge):
      try turn(
        &order, by: charge, from: provider, to: .cancelled, because: .later, event: .paymentDeclined, in: transaction)
    case .refunded(let charge, let refund):
      try recordMethod(ofRefunded: charge, of: order, from: provider, in: transaction)
      try apply(refund, of: charge, from: provider, to: &order, in: transaction)
    case .refundFailed(let charge, let refund):
      try applyFailure(refund, of: charge, from: provider, to: &order, in: transaction)
    case .disputeOpened, .fundsWithdrawn, .fundsReinstated, .disputeClosed, .earlyFraudWarning:
      try applyDispute(event, from: provider, to: &order, in: transaction)
    case .methodSaved, .methodUpdated, .methodDetached, .payout: break
    }
  }

  /// Records a payment's state; the order follows when it has no other payment. A payment that its order does not wait
  /// for any more is cancelled, if it can still be paid.
  private func turn(
    _ order: inout Order, by charge: ChargeReport, from provider: String, to state: Payment.State,
    because reason: DeclineReason? = nil, event: OrderEvent, in transaction: StoreTransaction
  ) throws {
    let payment = try orderPayments.record(
      charge, of: order, from: provider, state: state, decline: reason, in: transaction)
    guard let payment else { return }
    if state == .declined, reason != .unchargeable {
      try PaymentMethodRecords.setDeclined(true, payment, of: order.accountID, in: transaction)
    }
    guard order.awaits(payment: charge.id) else {
      return try cancellation.cancelCharge(charge.id, of: order, in: transaction)
    }
    try orderPayments.transition(&order, event: event, paymentID: charge.id, in: transaction)
    if order.state.stage == .open {
      try lifecycle.renewalDeclined(order, because: reason ?? .askBuyer, in: transaction)
    }
  }

  /// Saves a method of an account, unless it has it already or was removed meanwhile; returns the account when it is
  /// new. The methods of subscriptions do not change. A setup saves a method once, however often it is reported,
  /// because the method may have been removed since.
  func save(_ report: MethodReport, from provider: String, in transaction: StoreTransaction) throws -> String? {
    let transaction = try transaction.at(timeOf: report.account, in: environment)
    guard try AccountRecords.country(of: report.account, in: transaction) != nil,
      try payments.note(event: "setup:\(report.id)", of: provider, in: transaction)
    else { return nil }
    let recorded = try PaymentMethodRecords.record(
      report.details, of: provider, id: report.id, for: report.account, in: transaction)
    return recorded.isNewlySaved ? report.account : nil
  }

  /// Records the method of a succeeded payment: saved when its buyer wants it for the next time, else for a
  /// subscription alone. The sweep detaches a method that no subscription uses.
  ///
  /// - Parameter details: the method as the provider reports it, where it can be charged again.
  /// - Returns: the id of its row; nil for a method that cannot be charged again, or was removed meanwhile.
  private func record(
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

  /// Records the method of a charge whose refund is reported before its success: for the sweep, which detaches it.
  private func recordMethod(
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

extension ProviderCharge {
  /// What a charge's state says, as events. Nil amounts of a currency that does not exist say nothing.
  func events(of request: ChargeRequest) -> [ProviderEvent.Kind] {
    UUID(text: request.orderID).map { events(ofPayment: request.id, order: $0) } ?? []
  }

  /// The same, by the ids of payment and order.
  func events(ofPayment id: String, order: UUID) -> [ProviderEvent.Kind] {
    guard let money else { return [] }
    let report = ChargeReport(
      id: id, orderID: order, amount: money, reference: reference, method: method,
      cardCountry: cardCountry)
    if refunded >= amount, amount > 0 {
      let refund = ProviderRefund(
        state: .succeeded, id: nil, reference: "\(id):refund", amount: amount, currency: currency,
        isAnonymous: true)
      return [.refunded(report, refund)]
    }
    return [state.event(report)]
  }
}

extension ChargeState {
  /// That a charge stands here, as an event.
  func event(_ report: ChargeReport) -> ProviderEvent.Kind {
    switch self {
    case .succeeded: .succeeded(report)
    case .pending: .pending(report)
    case .requiresAction: .requiresAction(report)
    case .cancelled: .cancelled(report)
    case .declined(let reason): .declined(report, reason)
    }
  }
}
