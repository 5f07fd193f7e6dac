import Foundation
import OnsideCommerce
import StoreAccounts
import StoreBase

/// The events of subscriptions. A transaction compares the machine of a subscription before its first write with the
/// one at its end, and appends the events.
enum SubscriptionEvents {
  /// A Boolean value that indicates whether the transaction has noted a subscription: its machine before is known.
  static func isNoted(_ key: SubscriptionKey, in transaction: StoreTransaction) -> Bool {
    transaction.hasActionBeforeCommit(actionKey(key))
  }

  /// Notes that a transaction writes a subscription. The first call of a transaction counts.
  ///
  /// - Parameter before: the machine of the stored row before the write; nil without one.
  static func note(
    _ key: SubscriptionKey, before: SubscriptionMachine?, in transaction: StoreTransaction
  ) throws {
    try transaction.beforeCommit(actionKey(key)) { try append(of: key, since: before, in: $0) }
  }

  private static func actionKey(_ key: SubscriptionKey) -> String {
    "subscription \(key.account) \(key.app) \(key.group)"
  }

  /// Appends the events of a transaction. The subscriptions of a removed account are deleted, and have none.
  private static func append(
    of key: SubscriptionKey, since before: SubscriptionMachine?, in transaction: StoreTransaction
  ) throws {
    guard let subscription = try SubscriptionRecords.subscription(key, in: transaction),
      subscription.machine != before
    else { return }
    let customer = Customer(account: key.account, app: key.app)
    try CustomerEvents.note(customer, in: transaction)
    let order = try SubscriptionEventRecords.order(of: subscription, in: transaction)
    let notes = SubscriptionEventTypes.notes(
      from: before, to: subscription.machine, isReinstated: order.isReinstatement, at: transaction.now)
    guard !notes.isEmpty else { return }
    let object = EventObject(
      kind: .subscription, id: "\(customer.subject)/\(key.group)", customer: customer,
      appAccountToken: order.appAccountToken)
    let json = try SubscriptionObject(subscription, pricedLike: order, at: transaction.now).json()
    try MerchantEventRecords.append(notes, of: object, data: json, in: transaction)
  }
}
