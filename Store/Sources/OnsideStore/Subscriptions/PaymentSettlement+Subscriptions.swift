import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// What payments and refunds mean for subscriptions.
extension PaymentSettlement {
  /// Begins the period that an order has paid, and gives the order the period's end. Does nothing for an order of
  /// something else.
  ///
  /// - Parameters:
  ///   - payment: what paid it; without a buyer who agreed to renewals, the subscription ends with the period.
  ///   - method: the id of the method that paid, where it can be charged again. It becomes the subscription's when its
  ///     buyer agreed to renewals. Without it, the subscription ends with the period, too.
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
      // A renewal that waits for its payment is for a period that this purchase has taken the place of.
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
      // The page of a renewal says that its plan renews: it replaces a choice that was made before.
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

  /// Tells a subscription that a try to pay its renewal was refused, or waits for the buyer.
  func renewalRefused(
    _ order: Order, because reason: DeclineReason, in transaction: StoreTransaction
  ) throws {
    guard order.isRenewal, let known = try SubscriptionRecords.subscription(ofOrder: order.id, in: transaction),
      known.subscription.renewalOrder == order.id,
      let charge = known.subscription.machine.openCharge, charge.number == known.number
    else { return }
    var subscription = known.subscription
    let refusal = SubscriptionEvent.chargeFailed(charge, isFinal: reason.isFinal)
    let effects = subscription.machine.handle(refusal, at: transaction.now)
    try carryOut(effects, of: &subscription, in: transaction)
  }

  /// Ends the subscription of an order that was taken back, when the order has paid its last period.
  func periodRevoked(of order: Order, in transaction: StoreTransaction) throws {
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

  /// Makes the charge at once that a dispute about a payment of the subscription has held back.
  func chargeWhatWasHeld(for order: Order, in transaction: StoreTransaction) throws {
    guard let known = try SubscriptionRecords.subscription(ofOrder: order.id, in: transaction) else { return }
    var subscription = known.subscription
    // What a bank has refused is tried by its own rules.
    guard let renewal = subscription.renewalOrder, try payments.areAllCancelled(of: renewal, in: transaction) else {
      return
    }
    let effects = subscription.machine.handle(.retryRequested, at: transaction.now)
    try carryOut(effects, of: &subscription, in: transaction)
  }

  /// Charges unpaid renewals of the subscriptions that use a method, after its bank has replaced the card.
  func methodReplaced(_ id: String, in transaction: StoreTransaction) throws {
    try changeSubscriptions(using: id, in: transaction) { $0.machine.handle(.retryRequested, at: $1.now) }
  }

  /// Takes a method from the subscriptions that use it, because their account has removed it, and switches off their
  /// renewal. An unpaid or paused subscription, which would end at once, waits for another method instead.
  func methodRemoved(_ id: String, in transaction: StoreTransaction) throws {
    try changeSubscriptions(using: id, in: transaction) { subscription, transaction in
      subscription.method = nil
      let before = subscription.machine
      guard !before.isUnpaid, before.stage == .active || before.stage == .due else { return [] }
      let effects = subscription.machine.handle(.autoRenewSwitched(on: false), at: transaction.now)
      try prices.moveDate(of: subscription, ifPauseEndedSince: before, in: transaction)
      return effects
    }
  }

  /// Changes the subscriptions that use a method, by the times of their accounts.
  private func changeSubscriptions(
    using method: String, in transaction: StoreTransaction,
    _ change: (inout StoredSubscription, StoreTransaction) throws -> [SubscriptionEffect]
  ) throws {
    for var subscription in try SubscriptionRecords.using(method: method, in: transaction) {
      let transaction = try transaction.at(timeOf: subscription.key.account, in: environment)
      let before = subscription
      let effects = try change(&subscription, transaction)
      guard subscription.machine != before.machine || subscription.method != before.method else { continue }
      try carryOut(effects, of: &subscription, in: transaction)
    }
  }

  /// Carries out what a subscription asks for, tells its account when the next period stays unpaid, and writes it.
  func carryOut(
    _ effects: [SubscriptionEffect], of subscription: inout StoredSubscription, in transaction: StoreTransaction
  ) throws {
    var effects = effects[...]
    while let effect = effects.popFirst() {
      switch effect {
      case .charge(let charge): effects += try renewals.requestCharge(for: charge, of: &subscription, in: transaction)
      case .expired, .revoked:
        try renewals.cancelRenewal(of: &subscription, in: transaction)
        (subscription.method, subscription.consent) = (nil, nil)
      case .refundUnused(let unused, let period):
        try unusedTime.refund(unused, of: period, in: subscription.key, transaction: transaction)
      case .periodDropped(let running): try restoreLast(running, of: &subscription, in: transaction)
      // A subscription is asked before it takes money: `obstacles.subscriptionRejection(of:in:)`.
      case .began, .graceBegan, .retryBegan, .paused, .askConsent, .refused, .refundCharge: break
      }
    }
    try messages.writeUnpaid(of: &subscription, in: transaction)
    try SubscriptionRecords.save(subscription, in: transaction)
  }

  /// Makes the order of the period that runs the last one again, under the number of the one that was taken back.
  private func restoreLast(
    _ running: PaidPeriod, of subscription: inout StoredSubscription, in transaction: StoreTransaction
  ) throws {
    guard let order = try periods.paidOrder(ofPeriod: running.number - 1, in: subscription.key, connection: transaction)
    else { return }
    try SubscriptionRecords.setPeriod(running.number, ofOrder: order.id, in: transaction)
    subscription.lastOrder = order.id
  }

}
