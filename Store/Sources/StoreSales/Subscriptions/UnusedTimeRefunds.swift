import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase

/// Refunds of unused time: the part of a period's price for the time after a change of plan or a stop.
struct UnusedTimeRefunds: Sendable {
  let orders: OrderRecords
  let payments: PaymentRecords
  let ledger: Ledger
  let random: any RandomSource
  let periods: PeriodOrders
  let booking: RefundBooking

  /// Refunds the unused time of a period, at most the unrefunded part of its price. The refund revokes nothing,
  /// whatever the app's rule for refunds. While a bank holds the money, the refund is recorded as failed, and the end
  /// of the dispute repeats it.
  func refund(
    _ unused: Money, of period: PaidPeriod, in key: SubscriptionKey, from origin: Refund.Origin = .planChange,
    because reason: RevocationReason = .refund, transaction: StoreTransaction
  ) throws {
    guard let order = try periods.paidOrder(ofPeriod: period.number, in: key, connection: transaction),
      let id = order.paymentID, let payment = try payments.payment(id, in: transaction)
    else { return }
    let isHeld = try DisputeRecords.holding(id, of: order.id, in: transaction) != nil
    let amount = try amount(unused, of: order, isHeld: isHeld, in: transaction)
    guard !amount.isZero else { return }
    var refund = Refund(
      id: random.uuid7(at: transaction.now).lowercase, orderID: order.id, paymentID: id, amount: amount,
      isSurplus: false, reason: reason, origin: origin, state: .asked, askedAt: transaction.now)
    guard try RefundRecords.insert(refund, in: transaction) else { return }
    try booking.book(refund, of: order, in: transaction)
    guard isHeld else { return try booking.enqueue(refund, of: payment, in: transaction) }
    (refund.state, refund.endedAt, refund.failure) = (.failed, transaction.now, Refund.heldByBank)
    try RefundRecords.update(refund, in: transaction)
    let total = try RefundRecords.refunds(of: order.id, in: transaction).total
    try ledger.refundFailed(refund, of: order, total: total, in: transaction)
    orders.metrics.refundFailed(in: transaction)
  }

  /// Returns the refund of unused time: the value rounded up to the provider's step, at most the unrefunded part of the
  /// order's price. Money that a bank holds counts as unrefunded, because the dispute may be won.
  func amount(
    _ unused: Money, of order: Order, isHeld: Bool, in connection: any SQLConnection
  ) throws -> Money {
    let refunds = try RefundRecords.refunds(of: order.id, in: connection)
    let gone = isHeld ? refunds.filter { $0.origin != .bank }.total : refunds.total
    let left = max(0, order.price.minorUnits - gone)
    let step = try booking.step(of: order, in: connection).minorUnits
    let rounded = (unused.minorUnits + step - 1) / step * step
    return Money(minorUnits: min(rounded, left), currency: order.price.currency)
  }
}
