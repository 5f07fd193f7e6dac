import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase

/// The reasons for which an order cannot be paid.
struct PaymentObstacles: Sendable {
  let orders: OrderRecords
  let owned: OwnedPurchases

  /// Returns the reason to cancel an order whose payment has succeeded, or nil if the payment counts.
  func cancelReason(of order: Order, in transaction: StoreTransaction) throws -> CancelReason? {
    if try AccountRecords.country(of: order.accountID, in: transaction) == nil { return .accountRemoved }
    if order.isRenewal { return try subscriptionRejection(of: order, in: transaction) }
    if try isBlockedByPlan(order, in: transaction) { return .subscriptionActive }
    if try owned.isOfferForRenewal(order, in: transaction) { return .offerUsed }
    // The payment of an owned product is refunded as a surplus, without a reason for a cancellation.
    guard try owned.purchase(like: order, in: transaction) == nil else { return nil }
    if try owned.isOfferUsed(order, in: transaction) { return .offerUsed }
    return try subscriptionRejection(of: order, in: transaction)
  }

  /// A Boolean value that indicates whether a plan of the account prevents the start of an order's plan now. A higher
  /// plan replaces the present one at once, as does one of the same level and length. Every other one starts with the
  /// next renewal.
  func isBlockedByPlan(_ order: Order, in transaction: StoreTransaction) throws -> Bool {
    let others = try orders.subscriptions(inGroupOf: order, in: transaction).filter {
      $0.isAnotherPlan(than: order.product.message, at: transaction.now)
    }
    guard !others.isEmpty else { return false }
    guard let plan = order.plan, let key = order.subscriptionKey,
      let machine = try SubscriptionRecords.subscription(key, in: transaction)?.machine.asOf(transaction.now),
      machine.start(of: plan) == .atOnce
    else { return true }
    return false
  }

  /// Returns the reason for which the subscription of an order rejects its payment. Returns nil if it accepts the
  /// payment, and for an order without a plan.
  func subscriptionRejection(of order: Order, in transaction: StoreTransaction) throws -> CancelReason? {
    guard var subscription = try StoredSubscription(paidBy: order, in: transaction) else { return nil }
    subscription.machine = subscription.machine.asOf(transaction.now)
    guard let event = try subscription.periodEvent(of: order, in: transaction) else { return .subscriptionEnded }
    let effects = subscription.machine.handle(event, at: transaction.now)
    if case .began? = effects.last { return nil }
    return order.isRenewal ? .subscriptionEnded : .subscriptionActive
  }

  /// A Boolean value that indicates whether the payment of the subscription's next period is pending. An order would
  /// pay the period a second time.
  func isBeingPaidLate(like order: Order, in transaction: StoreTransaction) throws -> Bool {
    guard order.plan != nil, let key = order.subscriptionKey,
      let known = try SubscriptionRecords.subscription(key, in: transaction)
    else { return false }
    return known.machine.asOf(transaction.now).isBeingPaidLate
  }
}

extension StoredSubscription {
  /// The subscription that an order pays; a new one for a first purchase. Nil for an order without a plan.
  init?(paidBy order: Order, in connection: any SQLConnection) throws {
    guard order.plan != nil, let key = order.subscriptionKey else { return nil }
    self =
      try SubscriptionRecords.subscription(key, in: connection)
      ?? StoredSubscription(
        key: key, machine: SubscriptionMachine(terms: .store), firstOrder: order.id, lastOrder: order.id)
  }

  /// Returns the event of the payment of an order, or nil if the subscription needs no such payment.
  func periodEvent(of order: Order, in connection: any SQLConnection) throws -> SubscriptionEvent? {
    guard order.isRenewal else { return order.plan.map { .purchased($0, offer: order.acceptedOffer) } }
    let (known, product) = (
      try SubscriptionRecords.subscription(ofOrder: order.id, in: connection), order.product.message.id
    )
    return known.flatMap {
      machine.unpaidCharge(ofPeriod: $0.number, for: product, withOffer: order.offerID != nil)
    }.map { .chargeSucceeded($0) }
  }
}

extension CancelReason {
  /// The subscription has expired before the payment of its next period.
  static let subscriptionEnded = CancelReason(rawValue: "subscription_ended")
}
