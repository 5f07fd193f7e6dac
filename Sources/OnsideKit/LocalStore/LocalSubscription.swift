import Foundation
import OnsideAPI
package import OnsideCommerce

/// The subscription of an account in a local store, and everything that can happen to it at a store: renewals, refused
/// cards, new prices, pauses, changes of plan.
///
/// ```swift
/// let store = try LocalStore(named: "Example")
/// try store.subscription("pro_monthly").fail(.cardDeclined)
/// try store.subscription("pro_monthly").renew()  // refused: the grace period begins
/// ```
///
/// It decides nothing itself: each call is an event of the same state machine that a store over HTTP runs. Clients hear
/// of it at their next sync. What cannot happen throws a ``LocalSubscriptionError`` and changes nothing.
public struct LocalSubscription: Sendable {
  /// The product, or the subscription group.
  public let identifier: String
  /// The name that the account logs in under.
  public let account: String
  let store: LocalStore

  /// Where it stands, as the app sees it with ``Onside/subscriptionStatus(group:)``;
  /// ``OnsideSubscriptionState/notSubscribed`` when the account never had it. By a product it is the subscription while
  /// its last paid period is of that product.
  public var status: OnsideSubscriptionStatus {
    look { shop, index, now in
      index.map { OnsideSubscriptionStatus(shop.message(of: shop.book.subscriptions[$0], at: now)) }
        ?? OnsideSubscriptionStatus(groupIdentifier: shop.group(of: identifier), state: .notSubscribed)
    }
  }

  /// Whether the account may use what it subscribed to, also in a grace period.
  public var isEntitled: Bool { look { shop, index, now in machine(shop, index)?.isEntitled(at: now) ?? false } }

  /// Whether the account is asked about a higher price and has not answered.
  public var awaitsConsent: Bool { look { shop, index, _ in machine(shop, index)?.awaitsConsent ?? false } }

  /// The transactions that paid for its periods, oldest first.
  public var transactions: [LocalTransaction] {
    let orders = look { shop, index, _ in Set(index.map { shop.book.subscriptions[$0].orders.values.map(\.uuid) } ?? [])
    }
    return store.transactions(of: account).filter { orders.contains($0.id) }
  }

  /// The state machine of the subscription, for the test kit.
  package var machine: SubscriptionMachine? { look { shop, index, _ in machine(shop, index) } }

  private func machine(_ shop: LocalShop, _ index: Int?) -> SubscriptionMachine? {
    index.map { shop.book.subscriptions[$0].machine }
  }

  private func look<Value: Sendable>(_ body: (LocalShop, Int?, Date) -> Value) -> Value {
    store.look { shop, now in body(shop, shop.subscription(identifier, of: account), now) }
  }
}

extension LocalStore {
  /// The subscription of an account, by a product or by a subscription group; there need not be one yet.
  /// - Parameters:
  ///   - identifier: a product, which is the subscription while that is its product; or a group, for whatever product
  ///     of the group the account has.
  ///   - account: the name that the account logs in under.
  public func subscription(_ identifier: String, of account: String = LocalStore.defaultAccount) -> LocalSubscription {
    LocalSubscription(identifier: identifier, account: account, store: self)
  }
}
