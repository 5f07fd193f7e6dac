import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase

/// The orders that have paid the periods of subscriptions, and the ends of their time.
struct PeriodOrders: Sendable {
  let orders: OrderRecords
  let signer: ReceiptSigner

  /// Returns the order that has paid a period and is not revoked, or nil.
  func paidOrder(
    ofPeriod number: Int, in key: SubscriptionKey, connection: any SQLConnection
  ) throws -> Order? {
    try SubscriptionRecords.orders(ofPeriod: number, of: key, in: connection)
      .compactMap { try orders.order($0, in: connection) }
      .first { $0.state.stage == .paid && $0.duplicateOf == nil && $0.state.revocation == nil }
  }

  /// Ends the account's other plans of a subscription group now, because an order's plan replaces them.
  func endOtherPlans(than order: Order, in transaction: StoreTransaction) throws {
    for other in try orders.subscriptions(inGroupOf: order, in: transaction)
    where other.isAnotherPlan(than: order.product.message, at: transaction.now) {
      try end(other, in: transaction)
    }
  }

  /// Ends the time of an order now, and signs its receipt again.
  func end(_ order: Order, in transaction: StoreTransaction) throws {
    try move(order, to: transaction.now, in: transaction)
  }

  /// Moves the end of an order and of its duplicates, and signs the receipt of the order again.
  func move(_ order: Order, to end: Date, in transaction: StoreTransaction) throws {
    var order = order
    order.expiresAt = end
    try orders.update(order, in: transaction)
    try signer.sign(&order, in: transaction)
    for var duplicate in try orders.orders(.duplicates(of: order.id), of: order.customer, in: transaction) {
      duplicate.expiresAt = end
      try orders.update(duplicate, in: transaction)
    }
  }
}
