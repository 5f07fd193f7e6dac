import Foundation
import OnsideCommerce
import StoreBase
import StorePayments

/// Applies the states of charges to payments and orders.
struct ChargeSettlement: Sendable {
  let orders: OrderRecords
  let owned: OwnedPurchases
  let orderPayments: OrderPayments
  let cancellation: OrderCancellation
  let obstacles: PaymentObstacles
  let signer: ReceiptSigner
  let sales: SaleBooking
  let booking: RefundBooking
  let lifecycle: SubscriptionLifecycle
  let methods: PaymentMethods

  /// Applies the state of a charge to its order. A repeated state changes nothing.
  func apply(
    _ state: ChargeState, of charge: ChargeReport, from provider: String, to order: inout Order,
    in transaction: StoreTransaction
  ) throws {
    switch state {
    case .succeeded: try succeed(charge, from: provider, order: &order, in: transaction)
    case .declined(let reason):
      try recordUnpaid(
        charge, from: provider, as: .declined, because: reason, event: .paymentDeclined, order: &order, in: transaction)
    case .pending:
      try recordUnpaid(charge, from: provider, as: .pending, event: .paymentPending, order: &order, in: transaction)
    case .requiresAction:
      // The provider waits for the buyer: the order is open again, and the buyer may cancel it.
      try recordUnpaid(charge, from: provider, as: .secondStep, event: .paymentDeclined, order: &order, in: transaction)
    case .cancelled:
      try recordUnpaid(
        charge, from: provider, as: .cancelled, because: .later, event: .paymentDeclined, order: &order,
        in: transaction)
    }
  }

  private func succeed(
    _ charge: ChargeReport, from provider: String, order: inout Order, in transaction: StoreTransaction
  ) throws {
    let payment = try orderPayments.record(charge, of: order, from: provider, state: .succeeded, in: transaction)
    guard let payment else { return }
    try PaymentMethodRecords.setDeclined(false, payment, of: order.accountID, in: transaction)
    let method = try methods.record(charge.method, from: payment, of: order, in: transaction)
    try applySuccess(of: payment, card: charge.cardCountry, method: method, to: &order, in: transaction)
  }

  /// Records the state of an unpaid charge, and applies it to an order without another payment. Cancels a charge that
  /// can no longer pay its order.
  private func recordUnpaid(
    _ charge: ChargeReport, from provider: String, as state: Payment.State, because reason: DeclineReason? = nil,
    event: OrderEvent, order: inout Order, in transaction: StoreTransaction
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
}
