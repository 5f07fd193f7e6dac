package import Foundation
package import OnsideAPI
package import OnsideCommerce

/// What happened in a local store, for whoever writes it down.
package enum LocalNote: Sendable {
  /// An order came or changed; whether its payment waits for somebody.
  case order(OrderMessage, account: String, waits: Bool)
  /// Something became of the subscription that an order has paid for.
  case subscription(OrderID, SubscriptionEffect)
}

extension LocalShop {
  /// What changed since the book was as it was before.
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
    guard let order = subscription.machine.period.flatMap({ subscription.orders[$0.number] }) else { return }
    subscriptionNotes.append(.subscription(order, effect))
  }
}

extension LocalStore {
  /// Hears, in order, what happens; called while the store is locked, so it must not call the store.
  package func onNote(_ hear: @escaping @Sendable (LocalNote) -> Void) { setListener(hear) }

  /// Whether a sync of the account has something to answer.
  package func tells(_ account: AccountID, since cursor: String?) -> Bool {
    look { shop, _ in shop.tells(account, since: cursor) }
  }

  /// When something is due next.
  package var wakesAt: Date? { look { shop, _ in shop.wakesAt } }

  /// Lets happen what is due by now.
  package func passTime() { look { _, _ in } }

  /// Interrupts the payment of an order until it is approved or declined.
  package func interrupt(_ order: OrderID) { control { shop, _ in shop.hold(order, for: .issue) } }

  /// The subscription of an account to a product, or to the group that it has changed to it in.
  package func subscription(_ productIdentifier: String, of account: String) -> SubscriptionMachine? {
    look { shop, _ in
      let owner = shop.book.accounts.first { $0.name == account }?.id
      return shop.book.subscriptions.last {
        $0.owner == owner && $0.machine.period?.plan.productID == productIdentifier
      }?.machine
    }
  }
}
