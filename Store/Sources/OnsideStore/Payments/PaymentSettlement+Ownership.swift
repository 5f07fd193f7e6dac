import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// Products that an account owns already: they are not charged a second time.
extension PaymentSettlement {
  /// The paid order with which the account already owns the product of another order.
  func owned(like order: Order, in transaction: StoreTransaction) throws -> Order? {
    guard order.product.message.kind.isRestorable else { return nil }
    let paid = OrderRecords.Selection.paidFor(product: order.product.message.id)
    return try orders.orders(paid, of: order.customer, in: transaction).last { $0.isOwned(at: transaction.now) }
  }

  /// Makes an order the duplicate of an owned one: paid at once, without a charge and without an entry in the ledger.
  func makeDuplicate(_ order: inout Order, of owned: Order) {
    order.state = .ownedAlready
    order.paidAt = owned.paidAt
    order.expiresAt = owned.expiresAt
    order.duplicateOf = owned.id
    order.receipt = owned.receipt
  }

  /// Ends an open order as the duplicate of an owned one, and cancels a charge that was begun for it.
  ///
  /// - Parameter offerIsAccepted: whether its offer applies to the next renewal; else its code is released.
  func endAsDuplicate(
    _ order: inout Order, of owned: Order, offerIsAccepted: Bool = false, in transaction: StoreTransaction
  ) throws {
    order.recordFirstPrice()
    makeDuplicate(&order, of: owned)
    try orders.update(order, in: transaction)
    if !offerIsAccepted { try OfferCodeRecords.release(of: order, in: transaction) }
    try abandon(order.paymentID, of: order, in: transaction)
  }
}
