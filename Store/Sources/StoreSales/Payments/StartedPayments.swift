import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase
import StorePayments

/// Applies a provider's record of a charge to a payment that is still started, with the order that the caller has read:
/// an event may have overtaken the answer.
struct StartedPayments: Sendable {
  let orders: OrderRecords
  let payments: PaymentRecords
  let charges: ChargeSettlement
  let refunds: RefundSettlement

  /// Applies a charge to its order.
  func apply(
    _ charge: ProviderCharge, as report: ChargeReport, from provider: String, to order: inout Order,
    in transaction: StoreTransaction
  ) throws {
    if let refund = charge.wholeRefund(of: report) {
      try refunds.apply(refund, of: report, from: provider, to: &order, in: transaction)
    } else {
      try charges.apply(charge.state, of: report, from: provider, to: &order, in: transaction)
    }
  }

  /// Ends a payment of which its provider has no record. The attempt of a renewal ends without a charge, and any other
  /// payment is declined.
  func end(_ payment: Payment, of order: inout Order, in transaction: StoreTransaction) throws {
    let report = ChargeReport(id: payment.id, orderID: payment.orderID, amount: payment.amount)
    let state: ChargeState = order.isRenewal ? .cancelled : .declined(.later)
    try charges.apply(state, of: report, from: payment.provider, to: &order, in: transaction)
  }

  /// Lets a found charge pay a renewal in place of the payment that was about to be made. Its amount counts, also if
  /// this database has another price. A refunded charge, or one for another plan or in another currency, is not
  /// adopted: the attempt ends without a charge.
  func adopt(
    _ found: FoundCharge, inPlaceOf payment: Payment, of order: inout Order, in transaction: StoreTransaction
  ) throws {
    guard let amount = found.charge.money, !found.isRefunded, found.product == order.product.message.id,
      amount.currency == order.price.currency
    else {
      let report = ChargeReport(id: payment.id, orderID: order.id, amount: payment.amount)
      return try charges.apply(.cancelled, of: report, from: payment.provider, to: &order, in: transaction)
    }
    var adopted = try payments.payment(found.id, in: transaction) ?? payment.copy(id: found.id)
    adopted.amount = amount
    // The buyer has paid the order of the other copy with another method, on a page that stated the renewal.
    if adopted.isSaved, let method = found.charge.method, method.reference != adopted.method {
      (adopted.isSaved, adopted.renewalGiver) = (false, .unknown)
    }
    try payments.save(adopted, in: transaction)
    if found.id != payment.id {
      var unused = payment
      unused.state = .cancelled
      try payments.save(unused, in: transaction)
      order.paymentID = found.id
      try orders.update(order, in: transaction)
    }
    guard let report = found.charge.report(ofPayment: found.id, order: order.id) else { return }
    try apply(found.charge, as: report, from: payment.provider, to: &order, in: transaction)
  }
}

extension Payment {
  /// The same payment with another id.
  fileprivate func copy(id: String) -> Payment {
    Payment(
      id: id, orderID: orderID, provider: provider, method: method, isSaved: isSaved, renewalGiver: renewalGiver,
      amount: amount, state: .started, step: step)
  }
}
