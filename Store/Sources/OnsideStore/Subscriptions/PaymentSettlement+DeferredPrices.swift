import Foundation
import OnsideCommerce

/// Higher prices of which an account could not be told: the next period keeps the present price, and the account is
/// told once more for the one after it.
extension PaymentSettlement {
  /// Whether a charge is at a higher price of which no message was sent, and to which its account has not agreed.
  func isUnannounced(
    _ charge: SubscriptionCharge, of known: StoredSubscription, in connection: any SQLConnection
  ) throws -> Bool {
    guard charge.offer == nil, let plan = known.machine.period?.plan, plan.productID == charge.plan.productID,
      charge.price.minorUnits > plan.price.minorUnits,
      let change = try pendingChange(of: known, in: connection), change.new == charge.price,
      change.answer != .accepted
    else { return false }
    return try !SubscriberMessageRecords.isSent(change, of: known.key, in: connection)
  }

  /// Whether the charge that an order waits for is one.
  func isUnannounced(_ order: UUID, in connection: any SQLConnection) throws -> Bool {
    guard let known = try SubscriptionRecords.subscription(ofOrder: order, in: connection)?.subscription,
      known.renewalOrder == order, let charge = known.machine.openCharge
    else { return false }
    return try isUnannounced(charge, of: known, in: connection)
  }

  /// Lets a renewal that was asked for at an unannounced price be asked for once more, when its payment has ended.
  func chargeAgain(_ order: UUID, in transaction: StoreTransaction) throws {
    guard let known = try SubscriptionRecords.subscription(ofOrder: order, in: transaction),
      known.subscription.machine.openCharge != nil
    else { return }
    var subscription = known.subscription
    // It may have been told at the last moment.
    if try isUnannounced(order, in: transaction) { try deferPrice(of: &subscription, in: transaction) }
    // The charge is still open: this marks it for another try after its failure, at the price of then.
    _ = subscription.machine.handle(.retryRequested, at: transaction.now)
    try SubscriptionRecords.save(subscription, in: transaction)
  }

  /// Defers a price that is to be charged now and was not announced, and asks for the charge once more; nil where the
  /// charge may be made, or its message is on the way.
  func deferPrice(
    ifUnannounced charge: SubscriptionCharge, of subscription: inout StoredSubscription,
    in transaction: StoreTransaction
  ) throws -> [SubscriptionEffect]? {
    guard try isUnannounced(charge, of: subscription, in: transaction),
      try !SubscriberMessageRecords.isTelling(subscription.key, in: transaction)
    else { return nil }
    try deferPrice(of: &subscription, in: transaction)
    return [SubscriptionEvent.chargeFailed(charge), .retryRequested].flatMap {
      subscription.machine.handle($0, at: transaction.now)
    }
  }

  /// Defers a price whose time has come and of which no message was sent, before a charge is asked for at it, or before
  /// the subscription ends because nobody has answered.
  func deferUnannouncedPrice(of subscription: inout StoredSubscription, in transaction: StoreTransaction) throws {
    let machine = subscription.machine
    guard machine.isSubscribed, machine.autoRenews, !machine.isBeingRenewed, !machine.continuesOffer,
      machine.nextPlan == nil, let due = machine.wakesAt, due <= transaction.now, let plan = machine.period?.plan,
      let change = try pendingChange(of: subscription, in: transaction), change.answer == nil,
      change.new.minorUnits > plan.price.minorUnits,
      try machine.awaitsConsent || !SubscriberMessageRecords.isTelling(subscription.key, in: transaction),
      try !SubscriberMessageRecords.isSent(change, of: subscription.key, in: transaction)
    else { return }
    try deferPrice(of: &subscription, in: transaction)
  }

  /// Keeps the present price for the next period.
  func deferPrice(of subscription: inout StoredSubscription, in transaction: StoreTransaction) throws {
    guard let present = subscription.machine.period?.plan.price,
      let change = try pendingChange(of: subscription, in: transaction)
    else { return }
    try PriceChangeRecords.answer(change.id, .deferred, in: transaction)
    _ = subscription.machine.handle(.priceChanged(to: present, needsConsent: false), at: transaction.now)
    for message in try SubscriberMessageRecords.messages(of: subscription.key, in: transaction)
    where message.outcome == nil && !message.isTrue(of: subscription.machine) {
      try SubscriberMessageRecords.end(message.id, as: .dropped, in: transaction)
    }
  }

  /// Announces a deferred price for the renewal after the period that has just been paid. Another person's card is not
  /// charged more.
  func announceDeferredPrice(of subscription: inout StoredSubscription, in transaction: StoreTransaction) throws {
    guard let period = subscription.machine.period,
      let last = try PriceChangeRecords.changes(of: subscription.key, in: transaction).last,
      last.answer == .deferred, last.product == period.plan.productID, last.old == period.plan.price,
      try isAccountsMethod(of: subscription, in: transaction)
    else { return }
    let change = PriceChange(
      id: random.uuid7(at: transaction.now).lowercase, product: last.product, old: last.old, new: last.new,
      needsConsent: last.needsConsent || last.old.isZero, askedAt: transaction.now, appliesAt: period.end)
    try PriceChangeRecords.insert(change, of: subscription.key, in: transaction)
    let event = SubscriptionEvent.priceChanged(to: change.new, needsConsent: change.needsConsent)
    _ = subscription.machine.handle(event, at: transaction.now)
    try tell(change, of: &subscription, in: transaction)
  }
}
