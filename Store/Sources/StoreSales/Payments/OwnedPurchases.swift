import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// The paid orders with which accounts own products. A product that an account owns is not charged a second time.
struct OwnedPurchases: Sendable {
  let orders: OrderRecords

  /// Returns the paid order with which the account owns the product of another order, or nil.
  func purchase(like order: Order, in transaction: StoreTransaction) throws -> Order? {
    guard order.product.message.kind.isRestorable else { return nil }
    let paid = OrderRecords.Selection.paidFor(product: order.product.message.id)
    return try orders.orders(paid, of: order.customer, in: transaction).last { $0.isOwned(at: transaction.now) }
  }

  /// Returns the paid order that provides the plan of an open order, or nil.
  func runningPurchase(for order: Order, in transaction: StoreTransaction) throws -> Order? {
    guard order.state.stage == .open, !order.isRenewal, order.plan != nil else { return nil }
    return try purchase(like: order, in: transaction)
  }

  /// Returns the paid order of which an open order becomes a duplicate if it ends unpaid. Returns nil for an order with
  /// an offer, because the buyer has ordered the offer and not the plan alone.
  func duplicateTarget(of order: Order, in transaction: StoreTransaction) throws -> Order? {
    order.wasMadeWithOffer ? nil : try runningPurchase(for: order, in: transaction)
  }

  /// A Boolean value that indicates whether an order's offer can only be accepted for the next renewal, because the
  /// account has the plan of the offer.
  func isOfferForRenewal(_ order: Order, in transaction: StoreTransaction) throws -> Bool {
    guard !order.isRenewal, let kind = order.namedOffer?.kind, kind == .promotional || kind == .code else {
      return false
    }
    return try purchase(like: order, in: transaction) != nil
  }

  /// A Boolean value that indicates whether an order's offer is for new subscribers, and another order of the account
  /// has started a subscription since.
  func isOfferUsed(_ order: Order, in transaction: StoreTransaction) throws -> Bool {
    guard let kind = order.offer?.kind, kind == .introductory || kind == .winBack,
      let group = order.product.message.subscriptionGroupID
    else { return false }
    return try orders.paidGroups(of: order.customer, since: order.createdAt, in: transaction).contains(group)
  }
}
