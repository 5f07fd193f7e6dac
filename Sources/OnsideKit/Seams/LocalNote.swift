package import Foundation
package import OnsideAPI
package import OnsideCommerce

/// A note of a change in a local store, for the test kit's record.
package enum LocalNote: Sendable {
  /// An order was made or changed; whether its payment waits for an approval or an interruption to be resolved.
  case order(OrderMessage, account: String, waits: Bool)
  /// The subscription that an order has paid for changed.
  case subscription(OrderID, SubscriptionEffect)
}

extension LocalShop {
  /// The changes between an earlier state of the book and now.
  func notes(since before: LocalBook) -> [LocalNote] {
    guard book.id == before.id, book.changes.count >= before.changes.count else { return subscriptionNotes }
    let changed = book.changes[before.changes.count...].compactMap(\.order)
    let orders = changed.compactMap { book.orders[$0] }.map { order in
      LocalNote.order(
        order.message, account: book.accounts.first { $0.id == order.owner }?.name ?? "", waits: order.waiting != nil)
    }
    return orders + subscriptionNotes
  }

  mutating func note(_ effect: SubscriptionEffect, of index: Int) {
    let subscription = book.subscriptions[index]
    let period = if case .refundUnused(_, let period) = effect { period } else { subscription.machine.period }
    guard let order = period.flatMap({ subscription.orders[$0.number] }) else { return }
    subscriptionNotes.append(.subscription(order, effect))
  }
}

extension LocalStore {
  /// Sets the listener for changes, which gets them in order. It is called while the store is locked, so it must not
  /// call the store.
  package func onNote(_ listener: @escaping @Sendable (LocalNote) -> Void) { setListener(listener) }

  /// Whether a sync of the account is to answer at once.
  package func syncAnswersAtOnce(for account: AccountID, since cursor: String?) -> Bool {
    look { shop, _ in shop.syncAnswersAtOnce(for: account, since: cursor) }
  }

  /// The due time of the next scheduled event.
  package var wakesAt: Date? { look { shop, _ in shop.wakesAt } }

  /// Runs every event whose due time has passed.
  package func deliverDueEvents() { look { _, _ in } }

  /// Interrupts the payment of an order until it is approved or declined.
  package func interrupt(_ order: OrderID) { control { shop, now in shop.setWaiting(order, for: .issue, at: now) } }
}
