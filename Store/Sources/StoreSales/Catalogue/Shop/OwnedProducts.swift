import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase

/// What an account has in an app while it looks at the shop: products are not sold a second time, and subscriptions not
/// beside another plan of their group.
struct OwnedProducts: Sendable {
  /// The orders that own something, by product.
  private var owned: [String: Order] = [:]
  /// The groups in which the account has ever subscribed: no introductory offers there.
  private var usedGroups: Set<String> = []
  /// The subscriptions of these groups.
  private var subscriptions: [String: SubscriptionMachine] = [:]
  private var now = Date.distantPast

  /// What a visitor without an account has.
  static let nothing = OwnedProducts()

  private init() {}

  init(of customer: Customer, orders: OrderRecords, in transaction: StoreTransaction) throws {
    self.now = transaction.now
    let entitled = try orders.orders(.entitled, of: customer, in: transaction)
    for order in entitled where order.isOwned(at: transaction.now) {
      owned[order.product.message.id] = order
    }
    for known in try SubscriptionRecords.subscriptions(of: customer.account, in: transaction)
    where known.key.app == customer.app {
      subscriptions[known.key.group] = known.machine.asOf(transaction.now)
    }
    usedGroups = try orders.usedGroups(of: customer, in: transaction)
  }

  /// The order that gives the account this product.
  func order(of product: ProductMessage) -> Order? { owned[product.id] }

  /// The order of another plan of the product's group, while that runs and the product's plan cannot take its place.
  func otherPlan(than product: ProductMessage) -> Order? {
    if let subscription = product.subscriptionGroupID.flatMap({ subscriptions[$0] }),
      let plan = product.plan(at: product.price.money), subscription.start(of: plan) == .atOnce
    {
      return nil
    }
    return owned.values.first { $0.isAnotherPlan(than: product, at: now) }
  }

  /// The product with the offers that the account may have.
  func offered(_ product: ProductMessage) -> ProductMessage {
    product.offered(usedGroups: usedGroups)
  }
}
