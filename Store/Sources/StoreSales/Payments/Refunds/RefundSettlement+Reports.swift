import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase
import StorePayments

/// Refunds that providers report.
extension RefundSettlement {
  /// Applies a provider's report of a refund of a part or the whole of a payment.
  func apply(
    _ report: ProviderRefund, of charge: ChargeReport, from provider: String, to order: inout Order,
    in transaction: StoreTransaction
  ) throws {
    try methods.recordMethod(ofRefunded: charge, of: order, from: provider, in: transaction)
    let amount = try checked(report, of: charge)
    let refunds = try RefundRecords.refunds(of: order.id, in: transaction)
    let isWhole = amount == charge.amount
    guard var payment = try payments.payment(charge.id, in: transaction), payment.state == .succeeded else {
      return try applyEarly(report, of: charge, from: provider, to: &order, isWhole: isWhole, in: transaction)
    }
    try match(charge, with: payment, of: order, from: provider)
    if order.paymentID == payment.id, try Ledger.hasUnrecordedRefund(of: order.id, in: transaction) {
      return try markRefunded(&payment, in: transaction)
    }
    if var known = refunds.match(report, of: charge.id, from: provider) {
      guard known.state == .asked else { return }
      (known.state, known.endedAt, known.reference) = (.settled, transaction.now, report.reference)
      try RefundRecords.update(known, in: transaction)
      if known.isSurplus { try ledger.surplusReturned(known, of: payment, order: order, in: transaction) }
    } else {
      try bookExternal(report, amount: amount, of: payment, refunds: refunds, to: &order, in: transaction)
    }
    let settled = try RefundRecords.refunds(of: order.id, in: transaction).settled(of: payment.id)
    guard settled >= payment.amount.minorUnits else { return }
    try markRefunded(&payment, in: transaction)
    // The payment that succeeded after the cancellation is refunded.
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
  private func bookExternal(
    _ report: ProviderRefund, amount: Money, of payment: Payment, refunds: [Refund], to order: inout Order,
    in transaction: StoreTransaction
  ) throws {
    guard refunds.underWay(of: payment.id) + amount.minorUnits <= payment.amount.minorUnits else {
      throw PaymentAmountMismatch(payment: payment.id, expected: payment.amount, found: amount)
    }
    // A surplus payment has not paid the order.
    let isSurplus = try Ledger.hasSurplus(of: order.id, payment: payment.id, in: transaction)
    let refund = Refund(
      id: "\(payment.provider):\(report.reference)", orderID: order.id, paymentID: payment.id, amount: amount,
      isSurplus: isSurplus, reason: .refund, origin: .provider, state: .settled, reference: report.reference,
      askedAt: transaction.now, endedAt: transaction.now)
    guard try RefundRecords.insert(refund, in: transaction) else { return }
    try RefundRecords.replaceOwed(by: refund, in: transaction)
    if isSurplus {
      try ledger.surplusReturned(refund, of: payment, order: order, in: transaction)
      try booking.refundRest("\(refund.id):rest", of: payment, order: order, in: transaction)
    } else if order.duplicateOf == nil, order.state.stage == .paid {
      try bookAndRevoke(refund, of: &order, in: transaction)
    }
  }

  /// Returns the amount of a refund. Throws if it is not a part of the charge.
  private func checked(_ report: ProviderRefund, of charge: ChargeReport) throws -> Money {
    guard let amount = report.money, amount.currency == charge.amount.currency,
      (0...charge.amount.minorUnits).contains(amount.minorUnits)
    else { throw PaymentAmountMismatch(payment: charge.id, expected: charge.amount, found: report.money) }
    return amount
  }

  /// Throws if a charge has another order, provider or amount than its payment.
  func match(
    _ charge: ChargeReport, with payment: Payment, of order: Order, from provider: String
  ) throws {
    guard payment.orderID == order.id, payment.provider == provider else { throw PaymentError.notFound }
    guard payment.amount == charge.amount else {
      throw PaymentAmountMismatch(payment: charge.id, expected: payment.amount, found: charge.amount)
    }
  }
}

extension [Refund] {
  /// Returns the refund of a provider's report: by the store's id, by the provider's id, or the pending one of the
  /// amount.
  func match(_ report: ProviderRefund, of payment: String, from provider: String) -> Refund? {
    let ofPayment = filter { $0.paymentID == payment }
    if let id = report.id { return ofPayment.first { $0.id == id } }
    if let known = ofPayment.first(where: { $0.reference == report.reference }) { return known }
    guard report.isAnonymous else { return nil }
    return ofPayment.first { $0.state == .asked && $0.reference == nil && $0.amount == report.money }
  }

  /// Returns the refunded amount of a payment, in the smallest unit of its currency.
  func settled(of payment: String) -> Int64 {
    filter { $0.paymentID == payment && $0.state == .settled && $0.origin != .bank }.reduce(0) {
      $0 + $1.amount.minorUnits
    }
  }

  /// Returns the refunded and pending amount of a payment, in the smallest unit of its currency.
  func underWay(of payment: String) -> Int64 {
    filter { $0.paymentID == payment && $0.state != .failed && $0.origin != .bank }.reduce(0) {
      $0 + $1.amount.minorUnits
    }
  }
}
