import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase
import StorePayments

/// The effects of payments, declined charges and revocations on subscriptions.
extension SubscriptionLifecycle {
  /// Begins the period that an order has paid, and sets the end of the order. Does nothing for an order without a plan.
  ///
  /// - Parameters:
  ///   - payment: the payment of the order. Without a buyer who agreed to renewals, the subscription ends with the
  ///     period.
  ///   - method: the id of the method of the payment, if it can be charged again. It becomes the subscription's method
  ///     if its buyer agreed to renewals. Without a method the subscription ends with the period.
  func beginPeriod(
    of order: inout Order, by payment: Payment, with method: String?, in transaction: StoreTransaction
  ) throws {
    guard var subscription = try StoredSubscription(paidBy: order, in: transaction) else { return }
    let passed = subscription.machine.handle(.clock, at: transaction.now)
    if !passed.isEmpty { try carryOut(passed, of: &subscription, in: transaction) }
    guard let event = try subscription.periodEvent(of: order, in: transaction) else { return }
    let before = subscription.machine
    var effects = subscription.machine.handle(event, at: transaction.now)
    guard case .began(let period)? = effects.last else { return }
    if !order.isRenewal {
      let isAnotherPlan = before.period?.plan.productID != period.plan.productID
      if isAnotherPlan || !before.isEntitled(at: transaction.now) { subscription.firstOrder = order.id }
      if subscription.firstOrder != order.id { order.originalOrderID = subscription.firstOrder }
      if before.isChange(to: period.plan) { order.reason = .planChange }
      try SubscriptionRecords.insert(period: period.number, of: subscription.key, order: order.id, in: transaction)
      // This purchase replaces the period of a renewal that waits for its payment.
      try renewals.cancelRenewal(of: &subscription, in: transaction)
      try periods.endOtherPlans(than: order, in: transaction)
      let renews = payment.renewalGiver != nil && method != nil
      if !renews {
        effects += subscription.machine.handle(.autoRenewSwitched(on: false), at: transaction.now)
      }
    }
    (subscription.lastOrder, subscription.renewalOrder) = (order.id, nil)
    if payment.renewalGiver != nil, let method {
      subscription.method = method
      // The page of a renewal states that its plan renews. The payment replaces an earlier choice.
      if order.isRenewal, subscription.machine.nextPlan != nil {
        effects += subscription.machine.handle(.planChosen(period.plan), at: transaction.now)
        effects += subscription.machine.handle(.autoRenewSwitched(on: true), at: transaction.now)
      }
    }
    if payment.renewalGiver == nil || method != nil {
      try consents.record(after: period, of: order, by: payment, for: &subscription, in: transaction)
    }
    if order.isRenewal, subscription.method == nil {
      effects += subscription.machine.handle(.autoRenewSwitched(on: false), at: transaction.now)
    }
    order.expiresAt = period.end
    try prices.announceNewest(to: &subscription, in: transaction)
    try carryOut(effects, of: &subscription, in: transaction)
  }

  /// Applies a declined charge, or one that waits for the buyer, to the subscription of a renewal.
  func renewalDeclined(
    _ order: Order, because reason: DeclineReason, in transaction: StoreTransaction
  ) throws {
    guard order.isRenewal, let known = try SubscriptionRecords.subscription(ofOrder: order.id, in: transaction),
      known.subscription.renewalOrder == order.id,
      let charge = known.subscription.machine.openCharge, charge.number == known.number
    else { return }
    var subscription = known.subscription
    let failure = SubscriptionEvent.chargeFailed(charge, isFinal: reason.isFinal)
    let effects = subscription.machine.handle(failure, at: transaction.now)
    try carryOut(effects, of: &subscription, in: transaction)
  }

  /// Ends the subscription of a revoked order, if the order has paid the last period.
  func revokePeriod(of order: Order, in transaction: StoreTransaction) throws {
    guard let revocation = order.state.revocation,
      let known = try SubscriptionRecords.subscription(ofOrder: order.id, in: transaction)
    else { return }
    var subscription = known.subscription
    let event = SubscriptionEvent.refunded(period: known.number, revocation.reason)
    let effects = subscription.machine.handle(event, at: transaction.now)
    if case .revoked? = effects.first, order.id != subscription.lastOrder,
      let ahead = try orders.order(subscription.lastOrder, in: transaction)
    {
      try periods.end(ahead, in: transaction)
    }
    try carryOut(effects, of: &subscription, in: transaction)
  }

  /// Makes the charge now that a dispute about a payment of the subscription has delayed.
  func retryHeldCharge(for order: Order, in transaction: StoreTransaction) throws {
    guard let known = try SubscriptionRecords.subscription(ofOrder: order.id, in: transaction) else { return }
    var subscription = known.subscription
    // A declined charge is retried by the rules of the grace period.
    guard let renewal = subscription.renewalOrder, try payments.areAllCancelled(of: renewal, in: transaction) else {
      return
    }
    let effects = subscription.machine.handle(.retryRequested, at: transaction.now)
    try carryOut(effects, of: &subscription, in: transaction)
  }
}
