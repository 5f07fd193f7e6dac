import Foundation
import OnsideCommerce
import StoreBase

/// Messages about subscriptions: each is written with its cause, as a row of the outbox.
extension PaymentSettlement {
  /// Writes the messages ahead of the next charge that are due by now, or by a later moment.
  func tellAhead(
    of subscription: inout StoredSubscription, by moment: Date = .distantPast, in transaction: StoreTransaction
  ) throws {
    for notice in subscription.untoldNotices where notice.due <= max(moment, transaction.now) {
      try tell(notice, of: &subscription, in: transaction)
    }
  }

  /// Tells once of a period that is not paid and whose payment is not under way. A buyer who is paying on the page of
  /// its order knows; one who objects to a payment at the bank was not refused.
  func tellUnpaid(of subscription: inout StoredSubscription, in transaction: StoreTransaction) throws {
    let machine = subscription.machine
    guard machine.isUnpaid, machine.autoRenews, let end = machine.period?.end,
      let renewal = subscription.renewalOrder
    else { return }
    let notice = SubscriptionNotice(kind: .unpaid, date: end)
    guard try DisputeRecords.holdingRenewals(of: subscription.key, in: transaction) == nil,
      !subscription.told.contains(notice, of: machine), let order = try orders.order(renewal, in: transaction)
    else { return }
    let since = transaction.now - Self.pageTime
    if let id = order.paymentID {
      if try payments.isWithBuyer(id, since: since, in: transaction) { return }
      // The buyer can do nothing about a charge that the provider rejects with every method.
      if try payments.payment(id, in: transaction)?.decline == .unchargeable { return }
    }
    try tell(notice, of: &subscription, in: transaction)
  }

  /// Tells of a new price. A question that is asked in the last week before the renewal is not repeated.
  func tell(_ change: PriceChange, of subscription: inout StoredSubscription, in transaction: StoreTransaction) throws {
    // Where a rise is withdrawn before it was charged, the price that is paid stays.
    guard subscription.machine.autoRenews, change.new != change.old else { return }
    let kind: SubscriptionNotice.Kind = change.needsConsent ? .question : .price
    for reminder in subscription.untoldNotices where reminder.kind == .reminder && reminder.due <= transaction.now {
      subscription.told.insert(reminder, of: subscription.machine)
    }
    let message = SubscriberMessage(
      id: random.uuid7(at: transaction.now).lowercase, key: subscription.key,
      notice: SubscriptionNotice(kind: kind, date: change.appliesAt), product: change.product, price: change.new,
      oldPrice: change.old, priceChange: change.id, createdAt: transaction.now)
    try write(message, in: transaction)
  }

  private func tell(
    _ notice: SubscriptionNotice, of subscription: inout StoredSubscription, in transaction: StoreTransaction
  ) throws {
    let machine = subscription.machine
    subscription.told.insert(notice, of: machine)
    let price = notice.kind == .reminder ? machine.pendingPrice : machine.nextPrice
    guard let present = machine.period?.plan, let price else { return }
    let message = SubscriberMessage(
      id: random.uuid7(at: transaction.now).lowercase, key: subscription.key, notice: notice,
      product: machine.nextPlan?.productID ?? present.productID, price: price,
      oldPrice: notice.kind == .reminder ? present.price : nil, createdAt: transaction.now)
    try write(message, in: transaction)
  }

  private func write(_ message: SubscriberMessage, in transaction: StoreTransaction) throws {
    guard try SubscriberMessageRecords.insert(message, in: transaction) else { return }
    let payload = try OutboxPayload.text(SubscriberMessenger.Row(message: message.id))
    try outbox.add(SubscriberMessenger.kind, payload: payload, due: transaction.now, in: transaction)
  }
}
