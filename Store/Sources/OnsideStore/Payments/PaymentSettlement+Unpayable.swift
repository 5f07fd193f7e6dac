import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// Orders that must not be paid any more.
extension PaymentSettlement {
  /// Cancels an order that must not be paid any more, although a payment may be under way: a payment that succeeds
  /// later is refunded, as after any cancellation.
  func cancelIfUnpayable(_ order: inout Order, in transaction: StoreTransaction) throws {
    guard order.state.stage == .open || order.state.stage == .processing,
      let reason = try reasonToRefuseMoney(of: order, in: transaction)
    else { return }
    _ = try order.state.handle(.paymentDeclined, at: transaction.now)
    _ = try order.state.handle(.cancelled, at: transaction.now)
    order.cancelReason = reason
    try OfferCodeRecords.release(of: order, in: transaction)
    orders.metrics.orderCancelled(because: reason, in: transaction)
  }

  private func reasonToRefuseMoney(of order: Order, in transaction: StoreTransaction) throws -> CancelReason? {
    if try AccountRecords.country(of: order.accountID, in: transaction) == nil { return .accountRemoved }
    if order.isRenewal { return try subscriptionRefusal(of: order, in: transaction) }
    if try isBlockedByPlan(order, in: transaction) { return .subscriptionActive }
    if try isOfferForRenewal(order, in: transaction) { return .offerUsed }
    // The money for what is owned already goes back without a reason of its own.
    guard try owned(like: order, in: transaction) == nil else { return nil }
    if try isOfferUsed(order, in: transaction) { return .offerUsed }
    return try subscriptionRefusal(of: order, in: transaction)
  }

  /// A Boolean value that indicates whether an order's offer is not paid now, because the account has its plan: it can
  /// only be accepted for the next renewal.
  func isOfferForRenewal(_ order: Order, in transaction: StoreTransaction) throws -> Bool {
    guard !order.isRenewal, let kind = order.namedOffer?.kind, kind == .promotional || kind == .code else {
      return false
    }
    return try owned(like: order, in: transaction) != nil
  }

  /// Whether an order's offer is for those who have no subscription, and another order of the account has begun one.
  func isOfferUsed(_ order: Order, in transaction: StoreTransaction) throws -> Bool {
    guard let kind = order.offer?.kind, kind == .introductory || kind == .winBack,
      let group = order.product.message.subscriptionGroupID
    else { return false }
    return try orders.paidGroups(of: order.customer, since: order.createdAt, in: transaction).contains(group)
  }
}
