package import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
package import StoreBase

/// Events of orders. Writers note each order that they have changed; before the commit its object is compared with the
/// object in its newest event.
package enum OrderEvents {
  /// Compares an order before the commit, and appends its events. Nothing is read before that.
  ///
  /// - Parameter products: ordered products in memory.
  static func note(
    _ order: UUID, products: OrderedProducts = OrderedProducts(), in transaction: StoreTransaction
  ) throws {
    try transaction.beforeCommit("order \(order.lowercase)") { transaction in
      try append(order, products: products, in: transaction)
    }
  }

  /// The object of a paid order; nil for an unpaid order and for a duplicate. Some changes of an order, such as another
  /// end, have no event: the object may be newer than that of the newest event.
  package static func object(of order: UUID, in transaction: StoreTransaction) throws -> OrderObject? {
    try OrderEventRecords.order(order, products: OrderedProducts(), at: transaction.now, in: transaction)?.object
  }

  private static func append(_ id: UUID, products: OrderedProducts, in transaction: StoreTransaction) throws {
    guard let order = try OrderEventRecords.order(id, products: products, at: transaction.now, in: transaction) else {
      return
    }
    let data = order.object.json
    // An account that was removed before its orders had events has left no subject: they have none.
    guard let subject = order.object.purchase.subject, data != order.newest?.data else { return }
    if order.concernsCustomer { try CustomerEvents.note(order.customer, products: products, in: transaction) }
    // An unreadable event must not stop the order's changes: they are then compared as for an order without events.
    let before = order.newest.map { newest in
      (try? WireCoding.decoder().decode(OrderStanding.self, from: Data(newest.data.utf8)))
        ?? order.object.standing.before(transaction.now)
    }
    let notes = OrderEventTypes.notes(from: before, to: order.object, at: transaction.now)
    let object = EventObject(
      kind: .order, id: id.lowercase, customer: order.customer,
      appAccountToken: order.object.purchase.appAccountToken, subject: subject)
    try MerchantEventRecords.append(
      notes, of: object, data: data, after: order.newest, base: order.base, in: transaction)
  }
}
