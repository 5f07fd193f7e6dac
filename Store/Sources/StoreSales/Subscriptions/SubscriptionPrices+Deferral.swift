import Foundation
import OnsideCommerce
import StoreBase

/// Higher prices that are due. A price without a message in time is deferred: the next period has the present price.
extension SubscriptionPrices {
  /// A Boolean value that indicates whether a charge has a higher price to which the account has not agreed, and about
  /// which no message was sent in time.
  func isUnannounced(
    _ charge: SubscriptionCharge, of known: StoredSubscription, in connection: any SQLConnection
  ) throws -> Bool {
    guard charge.offer == nil, let plan = known.machine.period?.plan, plan.productID == charge.plan.productID,
      charge.price.minorUnits > plan.price.minorUnits,
      let change = try known.pendingChange(in: connection), change.new == charge.price,
      change.answer != .accepted
    else { return false }
    return try !isSentInTime(change, to: known, in: connection)
  }

  /// A Boolean value that indicates whether the open charge of an order is unannounced.
  func isUnannounced(_ order: UUID, in connection: any SQLConnection) throws -> Bool {
    guard let known = try SubscriptionRecords.subscription(ofOrder: order, in: connection)?.subscription,
      known.renewalOrder == order, let charge = known.machine.openCharge
    else { return false }
    return try isUnannounced(charge, of: known, in: connection)
  }

  /// Requests another charge of a renewal at an unannounced price, after its payment has ended.
  func chargeAgain(_ order: UUID, in transaction: StoreTransaction) throws {
    guard let known = try SubscriptionRecords.subscription(ofOrder: order, in: transaction),
      known.subscription.machine.openCharge != nil
    else { return }
    var subscription = known.subscription
    // A message may have been sent at the last moment.
    if try isUnannounced(order, in: transaction) { try subscription.deferPrice(in: transaction) }
    // The charge is still open: the event marks it for another attempt after its failure, at the price at that time.
    _ = subscription.machine.handle(.retryRequested, at: transaction.now)
    try SubscriptionRecords.save(subscription, in: transaction)
  }

  /// Defers the unannounced price of a charge, and requests the charge again. Returns nil if the charge may be made, or
  /// its message is being delivered.
  func deferPrice(
    ifUnannounced charge: SubscriptionCharge, of subscription: inout StoredSubscription,
    in transaction: StoreTransaction
  ) throws -> [SubscriptionEffect]? {
    guard try isUnannounced(charge, of: subscription, in: transaction),
      try !SubscriberMessageRecords.isTelling(subscription.key, in: transaction)
    else { return nil }
    try subscription.deferPrice(in: transaction)
    return [SubscriptionEvent.chargeFailed(charge), .retryRequested].flatMap {
      subscription.machine.handle($0, at: transaction.now)
    }
  }

  /// Defers a price that is due and about which no message was sent, before its first charge, or before the
  /// subscription expires without an answer.
  func deferUnannounced(of subscription: inout StoredSubscription, in transaction: StoreTransaction) throws {
    let machine = subscription.machine
    guard machine.isSubscribed, machine.autoRenews, !machine.isBeingRenewed, !machine.continuesOffer,
      machine.nextPlan == nil, machine.plannedPauseEnd == nil, !machine.keepsPriceWithoutConsent,
      let due = machine.wakesAt, due <= transaction.now, let plan = machine.period?.plan,
      let change = try subscription.pendingChange(in: transaction), change.answer == nil,
      change.new.minorUnits > plan.price.minorUnits,
      // A charge waits for the delivery of a message.
      try machine.awaitsConsent || !SubscriberMessageRecords.isTelling(subscription.key, in: transaction),
      try !isSentInTime(change, to: subscription, in: transaction)
    else { return }
    try subscription.deferPrice(in: transaction)
  }

  /// Ends a question whose refusal does not end the subscription, because the renewal is charged at the present price.
  func endQuestion(of known: StoredSubscription, in transaction: StoreTransaction) throws {
    guard !known.machine.isAskedAboutPrice,
      let change = try PriceChangeRecords.changes(of: known.key, in: transaction).last, change.needsConsent,
      change.answer == nil,
      try RenewalPriceRecords.terms(of: change, in: transaction)?.keepsPriceWithoutConsent == true
    else { return }
    let isSent = try isSentInTime(change, to: known, in: transaction)
    try PriceChangeRecords.answer(change.id, isSent ? .unanswered : .deferred, in: transaction)
    try known.dropMessages(in: transaction)
  }

  /// A Boolean value that indicates whether the message about a change was sent, before its deadline if it has one.
  private func isSentInTime(
    _ change: PriceChange, to known: StoredSubscription, in connection: any SQLConnection
  ) throws -> Bool {
    let deadline = try change.messageDeadline(for: known.machine, in: connection)
    return try SubscriberMessageRecords.isSent(change, of: known.key, by: deadline, in: connection)
  }
}

extension StoredSubscription {
  /// The newest change to the pending price; nil without a pending price.
  func pendingChange(in connection: any SQLConnection) throws -> PriceChange? {
    guard let price = machine.pendingPrice, let product = machine.period?.plan.productID else { return nil }
    return try PriceChangeRecords.changes(of: key, in: connection).last {
      $0.new == price && $0.product == product && $0.answer != .superseded && $0.answer != .deferred
    }
  }

  /// Defers the pending price, because no message about it was sent in time.
  mutating func deferPrice(in transaction: StoreTransaction) throws {
    try withdrawPendingPrice(recording: .deferred, in: transaction)
  }

  /// Withdraws the pending price, so that the next period has the present one, and drops the messages about it. An
  /// answer is not overwritten. The caller writes the subscription.
  mutating func withdrawPendingPrice(recording outcome: PriceChange.Answer, in transaction: StoreTransaction) throws {
    guard let present = machine.period?.plan.price, let change = try pendingChange(in: transaction) else { return }
    if change.answer == nil { try PriceChangeRecords.answer(change.id, outcome, in: transaction) }
    _ = machine.handle(.priceChanged(to: present, needsConsent: false), at: transaction.now)
    try dropMessages(in: transaction)
  }

  /// Drops the messages that are not true any longer.
  fileprivate func dropMessages(in transaction: StoreTransaction) throws {
    for message in try SubscriberMessageRecords.messages(of: key, in: transaction)
    where message.outcome == nil && !message.isTrue(of: machine) {
      try SubscriberMessageRecords.end(message.id, as: .dropped, in: transaction)
    }
  }
}
