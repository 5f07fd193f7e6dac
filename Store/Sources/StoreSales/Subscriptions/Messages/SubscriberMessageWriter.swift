import Foundation
import OnsideCommerce
import StoreBase
import StorePayments

/// Writes messages to subscribers. Each message is inserted with its cause, and its outbox row delivers it.
struct SubscriberMessageWriter: Sendable {
  let orders: OrderRecords
  let payments: PaymentRecords
  let random: any RandomSource
  let outbox: OutboxRecords

  /// Writes the messages before the next charge that are due now, or at a later moment.
  func writeDue(
    of subscription: inout StoredSubscription, by moment: Date = .distantPast, in transaction: StoreTransaction
  ) throws {
    for notice in subscription.untoldNotices where notice.due <= max(moment, transaction.now) {
      try write(notice, of: &subscription, in: transaction)
    }
  }

  /// Writes one message about an unpaid period whose payment is not pending. Buyers on the payment page get none, nor
  /// do buyers with a dispute, whose card was not declined.
  func writeUnpaid(of subscription: inout StoredSubscription, in transaction: StoreTransaction) throws {
    let machine = subscription.machine
    guard machine.isUnpaid, machine.autoRenews, let end = machine.period?.end,
      let renewal = subscription.renewalOrder
    else { return }
    let notice = SubscriptionNotice(kind: .unpaid, date: end)
    guard try DisputeRecords.holdingRenewals(of: subscription.key, in: transaction) == nil,
      !subscription.told.contains(notice, of: machine), let order = try orders.order(renewal, in: transaction)
    else { return }
    let since = transaction.now - Payment.pageTime
    if let id = order.paymentID {
      if try payments.isWithBuyer(id, since: since, in: transaction) { return }
      // The provider rejects this charge with every method, so another method does not help.
      if try payments.payment(id, in: transaction)?.decline == .unchargeable { return }
    }
    try write(notice, of: &subscription, in: transaction)
  }

  /// Writes the message about a new price. A question in the last week before the renewal gets no reminder.
  func write(_ change: PriceChange, of subscription: inout StoredSubscription, in transaction: StoreTransaction) throws
  {
    // A withdrawn rise leaves the present price.
    guard subscription.machine.autoRenews, change.new != change.old else { return }
    let kind: SubscriptionNotice.Kind = change.needsConsent ? .question : .price
    for reminder in subscription.untoldNotices where reminder.kind == .reminder && reminder.due <= transaction.now {
      subscription.told.insert(reminder, of: subscription.machine)
    }
    let message = SubscriberMessage(
      id: random.uuid7(at: transaction.now).lowercase, key: subscription.key,
      notice: SubscriptionNotice(kind: kind, date: change.appliesAt), product: change.product, price: change.new,
      oldPrice: change.old, priceChange: change.id, createdAt: transaction.now)
    try insert(message, in: transaction)
  }

  private func write(
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
    try insert(message, in: transaction)
  }

  private func insert(_ message: SubscriberMessage, in transaction: StoreTransaction) throws {
    guard try SubscriberMessageRecords.insert(message, in: transaction) else { return }
    let payload = try OutboxPayload.text(SubscriberMessenger.Row(message: message.id))
    try outbox.add(SubscriberMessenger.kind, payload: payload, due: transaction.now, in: transaction)
  }
}
