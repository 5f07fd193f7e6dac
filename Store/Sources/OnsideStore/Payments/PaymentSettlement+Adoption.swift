import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// Charges of a renewal's period that another copy of the database has made, or this one before a restore.
extension PaymentSettlement {
  /// Lets a found charge pay a renewal in place of the payment that was to be made. Its amount counts, also where this
  /// database has another price. With a refunded charge, or one for another plan or in another currency, the attempt
  /// ends without a charge.
  func adopt(
    _ found: FoundCharge, inPlaceOf payment: Payment, of order: inout Order, in transaction: StoreTransaction
  ) throws {
    guard let amount = found.charge.money, !found.isRefunded, found.product == order.product.message.id,
      amount.currency == order.price.currency
    else {
      let report = ChargeReport(id: payment.id, orderID: order.id, amount: payment.amount)
      return try apply(.cancelled(report), from: payment.provider, to: &order, in: transaction)
    }
    var adopted = try payments.payment(found.id, in: transaction) ?? payment.copy(id: found.id)
    adopted.amount = amount
    // The buyer has paid the other copy's order with another method, on a page that stated the renewal.
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
    for event in found.charge.events(ofPayment: found.id, order: order.id) {
      try apply(event, from: payment.provider, to: &order, in: transaction)
    }
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
