import Foundation
import OnsideCommerce
import StoreBase
import StorePayments

/// Refunds as ledger entries and outbox rows, and the refunds of surplus payments. A surplus payment pays no order,
/// because it succeeded too late or twice. Nothing here revokes a purchase.
struct RefundBooking: Sendable {
  let payments: PaymentRecords
  let ledger: Ledger
  let environment: StoreEnvironment
  let outbox: OutboxRecords
  /// Returns the smallest step of a provider's refunds in a currency.
  let providerStep: @Sendable (_ provider: String, _ currency: Currency) -> Money

  /// Inserts the outbox row that requests a refund from the provider.
  func enqueue(_ refund: Refund, of payment: Payment, in transaction: StoreTransaction) throws {
    let request = RefundRequest(
      id: refund.id, chargeID: payment.id, chargeReference: payment.reference, orderID: refund.orderID.lowercase,
      provider: payment.provider, environment: environment, amount: refund.amount.minorUnits,
      chargeAmount: payment.amount.minorUnits, currency: refund.amount.currency.code,
      askedAt: transaction.storeTime(of: refund.askedAt))
    try outbox.add(
      PaymentOutboxKind.refund, payload: try OutboxPayload.text(request), due: transaction.now,
      in: transaction)
  }

  /// Books a refund that was just inserted.
  func book(_ refund: Refund, of order: Order, in transaction: StoreTransaction) throws {
    let total = try RefundRecords.refunds(of: order.id, in: transaction).total
    try ledger.refund(refund, of: order, total: total, in: transaction)
  }

  /// Returns the smallest step of refunds of the provider that took an order's payment.
  func step(of order: Order, in connection: any SQLConnection) throws -> Money {
    let payment = try order.paymentID.flatMap { try payments.payment($0, in: connection) }
    return providerStep(payment?.provider ?? "", order.price.currency)
  }

  /// Books a payment that pays no order as a surplus, and requests its refund. The refund has the id of the payment, so
  /// that it is requested once.
  func refundSurplus(_ payment: Payment, of order: Order, in transaction: StoreTransaction) throws {
    try ledger.surplus(payment, of: order, in: transaction)
    try refundRest(payment.id, of: payment, order: order, in: transaction)
  }

  /// Requests the refund of the rest of a surplus payment, after earlier refunds and chargebacks of it. Requests
  /// nothing while another refund of the payment is pending.
  func refundRest(_ id: String, of payment: Payment, order: Order, in transaction: StoreTransaction) throws {
    guard try Ledger.hasSurplus(of: order.id, payment: payment.id, in: transaction) else { return }
    let refunds = try RefundRecords.refunds(of: order.id, in: transaction)
    let left = refunds.unrefunded(of: payment.id, paid: payment.amount.minorUnits)
    guard left > 0, !refunds.contains(where: { $0.paymentID == payment.id && $0.state == .asked }) else { return }
    let refund = Refund(
      id: id, orderID: order.id, paymentID: payment.id,
      amount: Money(minorUnits: left, currency: payment.amount.currency), isSurplus: true, reason: .refund,
      origin: .store, state: .asked, askedAt: transaction.now)
    guard try RefundRecords.insert(refund, in: transaction) else { return }
    try enqueue(refund, of: payment, in: transaction)
  }
}
