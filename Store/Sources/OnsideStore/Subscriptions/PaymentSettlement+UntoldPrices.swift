import Foundation
import OnsideCommerce

/// Higher prices of which an account could not be told: the next period keeps the present price, and the account is
/// told once more for the one behind it.
extension PaymentSettlement {
  /// Whether a charge is at a higher price of which no message was sent, and to which its account has not agreed.
  func isUntold(
    _ charge: SubscriptionCharge, of known: StoredSubscription, in connection: any SQLConnection
  ) throws -> Bool {
    guard charge.offer == nil, let plan = known.machine.period?.plan, plan.productID == charge.plan.productID,
      charge.price.minorUnits > plan.price.minorUnits,
      let change = try pendingChange(of: known, in: connection), change.new == charge.price,
      change.answer != .accepted
    else { return false }
    return try !SubscriberMessageRecords.isSent(change, of: known.key, in: connection)
  }

  /// Whether the charge that an order waits for is untold.
  func isUntold(_ order: UUID, in connection: any SQLConnection) throws -> Bool {
    guard let known = try SubscriptionRecords.subscription(ofOrder: order, in: connection)?.subscription,
      known.renewalOrder == order, let charge = known.machine.openCharge
    else { return false }
    return try isUntold(charge, of: known, in: connection)
  }

  /// Lets a renewal that was asked for at an untold price be asked for once more, as soon as its payment has ended.
  func chargeAgain(_ order: UUID, in transaction: StoreTransaction) throws {
    guard let known = try SubscriptionRecords.subscription(ofOrder: order, in: transaction),
      known.subscription.machine.openCharge != nil
    else { return }
    var subscription = known.subscription
    // It may have been told at the last moment.
    if try isUntold(order, in: transaction) { try putPriceOff(of: &subscription, in: transaction) }
    // As with another method: what is asked for then has the price of then.
    _ = subscription.machine.handle(.methodChanged, at: transaction.now)
    try SubscriptionRecords.save(subscription, in: transaction)
  }

  /// Keeps the present price for the next period.
  func putPriceOff(of subscription: inout StoredSubscription, in transaction: StoreTransaction) throws {
    guard let present = subscription.machine.period?.plan.price,
      let change = try pendingChange(of: subscription, in: transaction)
    else { return }
    try PriceChangeRecords.answer(change.id, .untold, in: transaction)
    _ = subscription.machine.handle(.priceChanged(to: present, needsConsent: false), at: transaction.now)
    for message in try SubscriberMessageRecords.messages(of: subscription.key, in: transaction)
    where message.outcome == nil && !message.isTrue(of: subscription.machine) {
      try SubscriberMessageRecords.end(message.id, as: .dropped, in: transaction)
    }
  }

  /// Announces a price that was put off for the renewal behind the period that has just been paid.
  func announcePutOffPrice(of subscription: inout StoredSubscription, in transaction: StoreTransaction) throws {
    guard let period = subscription.machine.period,
      let last = try PriceChangeRecords.changes(of: subscription.key, in: transaction).last,
      last.answer == .untold, last.product == period.plan.productID, last.old == period.plan.price
    else { return }
    let change = PriceChange(
      id: random.uuid7(at: transaction.now).lowercase, product: last.product, old: last.old, new: last.new,
      needsConsent: false, askedAt: transaction.now, appliesAt: period.end)
    try PriceChangeRecords.insert(change, of: subscription.key, in: transaction)
    _ = subscription.machine.handle(.priceChanged(to: change.new, needsConsent: false), at: transaction.now)
    try tell(change, of: &subscription, in: transaction)
  }
}
