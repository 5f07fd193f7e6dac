import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// What providers tell of refunds.
extension PaymentSettlement {
  /// Applies a provider's report that a part or the whole of a payment went back.
  func apply(
    _ told: ProviderRefund, of charge: ChargeReport, from provider: String, to order: inout Order,
    in transaction: StoreTransaction
  ) throws {
    let amount = try checked(told, of: charge)
    let refunds = try RefundRecords.refunds(of: order.id, in: transaction)
    let isWhole = amount == charge.amount
    guard var payment = try payments.payment(charge.id, in: transaction), payment.state == .succeeded else {
      return try applyEarly(told, of: charge, from: provider, to: &order, isWhole: isWhole, in: transaction)
    }
    try match(charge, with: payment, of: order, from: provider)
    if order.paymentID == payment.id, try Ledger.hasUnrecordedRefund(of: order.id, in: transaction) {
      return try markRefunded(&payment, in: transaction)
    }
    if var known = refunds.match(told, of: charge.id, from: provider) {
      guard known.state == .asked else { return }
      (known.state, known.endedAt, known.reference) = (.settled, transaction.now, told.reference)
      try RefundRecords.update(known, in: transaction)
      if known.isSurplus { try ledger.surplusReturned(known, of: payment, order: order, in: transaction) }
    } else {
      try takeOver(told, amount: amount, of: payment, refunds: refunds, to: &order, in: transaction)
    }
    let settled = try RefundRecords.refunds(of: order.id, in: transaction).settled(of: payment.id)
    guard settled >= payment.amount.minorUnits else { return }
    try markRefunded(&payment, in: transaction)
    // What had come after the cancellation has gone back.
    if order.state.owesRefund, order.paymentID == payment.id,
      try order.state.handle(.refunded(.refund), at: transaction.now) == .changed
    {
      try orders.update(order, in: transaction)
    }
  }

  private func markRefunded(_ payment: inout Payment, in transaction: StoreTransaction) throws {
    payment.state = .refunded
    try payments.save(payment, in: transaction)
    orders.metrics.paymentReported(.refunded, in: transaction)
  }

  /// Books a refund that was made at the provider.
  private func takeOver(
    _ told: ProviderRefund, amount: Money, of payment: Payment, refunds: [Refund], to order: inout Order,
    in transaction: StoreTransaction
  ) throws {
    guard refunds.underWay(of: payment.id) + amount.minorUnits <= payment.amount.minorUnits else {
      throw PaymentAmountMismatch(payment: payment.id, expected: payment.amount, found: amount)
    }
    // A surplus payment, which is refunded at once, never paid the order.
    let isSurplus = try Ledger.hasSurplus(of: order.id, payment: payment.id, in: transaction)
    let refund = Refund(
      id: "\(payment.provider):\(told.reference)", orderID: order.id, paymentID: payment.id, amount: amount,
      isSurplus: isSurplus, reason: .refund, origin: .provider, state: .settled, reference: told.reference,
      askedAt: transaction.now, endedAt: transaction.now)
    guard try RefundRecords.insert(refund, in: transaction) else { return }
    try RefundRecords.replaceOwed(by: refund, in: transaction)
    if isSurplus {
      try ledger.surplusReturned(refund, of: payment, order: order, in: transaction)
      try requests.refundRest("\(refund.id):rest", of: payment, order: order, in: transaction)
    } else if order.duplicateOf == nil, order.state.stage == .paid {
      try book(refund, of: &order, in: transaction)
    }
  }

  /// A refund that was told before its payment: the payment will not count any more, and the order is open again.
  private func applyEarly(
    _ told: ProviderRefund, of charge: ChargeReport, from provider: String, to order: inout Order, isWhole: Bool,
    in transaction: StoreTransaction
  ) throws {
    if let known = try payments.payment(charge.id, in: transaction) {
      try match(charge, with: known, of: order, from: provider)
      guard known.state != .refunded else {
        if isWhole, try isUnbooked(known, in: transaction) {
          return try bookReturned(told, of: known, order: order, in: transaction)
        }
        return try check(told, isKnownOf: known, from: provider, in: transaction)
      }
    }
    guard isWhole else { throw PaymentError.invalidEvent("Expected a payment that has succeeded before its refund.") }
    let isCurrent = order.paymentID == nil || order.paymentID == charge.id
    let payment = try orderPayments.record(charge, of: order, from: provider, state: .refunded, in: transaction)
    guard let payment else { return }
    try bookReturned(told, of: payment, order: order, in: transaction)
    guard isCurrent, order.duplicateOf == nil else { return }
    try orderPayments.transition(&order, event: .paymentDeclined, paymentID: charge.id, in: transaction)
    try lifecycle.renewalDeclined(order, because: .later, in: transaction)
  }

  /// Whether a payment is known as refunded by its state alone, which was told without a reference of the refund.
  private func isUnbooked(_ payment: Payment, in transaction: StoreTransaction) throws -> Bool {
    let (order, refunds) = (payment.orderID, try RefundRecords.refunds(of: payment.orderID, in: transaction))
    return try !refunds.contains { $0.paymentID == payment.id }
      && !Ledger.hasUnrecordedRefund(of: order, in: transaction)
      && !Ledger.hasSurplus(of: order, payment: payment.id, in: transaction)
  }

  /// Books money that had gone back before the store heard of it, as a surplus that came and went: should the refund
  /// fail later, it is found, and the money is owed to the buyer. A report without a reference of the refund's own
  /// would not be recognised then.
  private func bookReturned(
    _ told: ProviderRefund, of payment: Payment, order: Order, in transaction: StoreTransaction
  ) throws {
    guard !payment.amount.isZero, !told.isAnonymous else { return }
    let refund = Refund(
      id: told.id ?? "\(payment.provider):\(told.reference)", orderID: order.id, paymentID: payment.id,
      amount: payment.amount, isSurplus: true, reason: .refund, origin: .provider, state: .settled,
      reference: told.reference, askedAt: transaction.now, endedAt: transaction.now)
    guard try RefundRecords.insert(refund, in: transaction) else { return }
    try ledger.surplus(payment, of: order, in: transaction)
    try ledger.surplusReturned(refund, of: payment, order: order, in: transaction)
  }

  /// Money goes back once more only after an earlier refund has failed, which is told later then.
  private func check(
    _ told: ProviderRefund, isKnownOf payment: Payment, from provider: String, in transaction: StoreTransaction
  ) throws {
    let refunds = try RefundRecords.refunds(of: payment.orderID, in: transaction)
    guard !told.isAnonymous, refunds.contains(where: { $0.paymentID == payment.id }),
      refunds.match(told, of: payment.id, from: provider) == nil
    else { return }
    throw PaymentError.invalidEvent("Expected the failure of an earlier refund before another one of the same money.")
  }

  /// Applies a provider's report that a refund did not reach the buyer, perhaps after it had been reported as done.
  /// Its ledger entries are reversed, and a purchase that it revoked is granted again. The operator may refund again.
  func applyFailure(
    _ told: ProviderRefund, of charge: ChargeReport, from provider: String, to order: inout Order,
    in transaction: StoreTransaction
  ) throws {
    let refunds = try RefundRecords.refunds(of: order.id, in: transaction)
    guard var refund = refunds.match(told, of: charge.id, from: provider), refund.state != .failed else { return }
    let wasSettled = refund.state == .settled
    (refund.state, refund.endedAt) = (.failed, transaction.now)
    // One that the provider refused has no reference there.
    if told.reference != refund.id { refund.reference = told.reference }
    if case .failed(let reason) = told.state { refund.failure = reason }
    try RefundRecords.update(refund, in: transaction)
    orders.metrics.refundFailed(in: transaction)
    guard var payment = try payments.payment(charge.id, in: transaction) else { return }
    if refund.isSurplus {
      if wasSettled { try ledger.surplusRefundFailed(refund, of: payment, order: order, in: transaction) }
    } else {
      let total = try RefundRecords.refunds(of: order.id, in: transaction).total
      try ledger.refundFailed(refund, of: order, total: total, in: transaction)
      // The buyer, who was told that it was granted, may ask again.
      try BuyerRefundRequestRecords.reopen(order.id, in: transaction)
      try grantIfOwed(order, because: .refund(refund), in: transaction)
    }
    guard payment.state == .refunded else { return }
    payment.state = .succeeded
    try payments.save(payment, in: transaction)
  }

  private func checked(_ told: ProviderRefund, of charge: ChargeReport) throws -> Money {
    guard let amount = told.money, amount.currency == charge.amount.currency,
      (0...charge.amount.minorUnits).contains(amount.minorUnits)
    else { throw PaymentAmountMismatch(payment: charge.id, expected: charge.amount, found: told.money) }
    return amount
  }

  private func match(
    _ charge: ChargeReport, with payment: Payment, of order: Order, from provider: String
  ) throws {
    guard payment.orderID == order.id, payment.provider == provider else { throw PaymentError.notFound }
    guard payment.amount == charge.amount else {
      throw PaymentAmountMismatch(payment: charge.id, expected: payment.amount, found: charge.amount)
    }
  }
}

extension [Refund] {
  /// The refund that a provider tells of: by the store's id, by the provider's, or the one that waits for this amount.
  fileprivate func match(_ told: ProviderRefund, of payment: String, from provider: String) -> Refund? {
    let ofPayment = filter { $0.paymentID == payment }
    if let id = told.id { return ofPayment.first { $0.id == id } }
    if let known = ofPayment.first(where: { $0.reference == told.reference }) { return known }
    guard told.isAnonymous else { return nil }
    return ofPayment.first { $0.state == .asked && $0.reference == nil && $0.amount == told.money }
  }

  /// How much of a payment has gone back.
  fileprivate func settled(of payment: String) -> Int64 {
    filter { $0.paymentID == payment && $0.state == .settled && $0.origin != .bank }.reduce(0) {
      $0 + $1.amount.minorUnits
    }
  }

  /// How much of a payment has gone back or is to go back.
  fileprivate func underWay(of payment: String) -> Int64 {
    filter { $0.paymentID == payment && $0.state != .failed && $0.origin != .bank }.reduce(0) {
      $0 + $1.amount.minorUnits
    }
  }
}
