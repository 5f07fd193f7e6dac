import Foundation
import OnsideCommerce
import StoreAccounts
import StoreBase

/// The entitlements and subscriptions of a customer at the time of a transaction.
struct CustomerState: Sendable {
  let customer: Customer
  /// The time of the transaction.
  let now: Date
  /// One for each lasting product and each subscription group, with the grace periods of the subscriptions.
  let entitlements: [Entitlement]
  /// The subscriptions with their machines as of ``now``.
  let subscriptions: [StoredSubscription]

  init(of customer: Customer, products: OrderedProducts, in transaction: StoreTransaction) throws {
    let now = transaction.now
    let subscriptions = try SubscriptionRecords.subscriptions(of: customer.account, in: transaction)
      .filter { $0.key.app == customer.app }
      .map { stored in
        var subscription = stored
        subscription.machine = stored.machine.asOf(now)
        return subscription
      }
    let byLastOrder = Dictionary(subscriptions.map { ($0.lastOrder, $0.machine) }) { first, _ in first }
    let purchased = try PurchaseRecords.entitlements(of: customer, products: products, in: transaction)
    let entitlements = purchased.map { purchase in
      var entitlement = purchase
      if let machine = byLastOrder[purchase.orderID] { entitlement.apply(machine) }
      return entitlement
    }
    self.customer = customer
    self.now = now
    self.entitlements = Entitlement.current(among: entitlements, at: now)
    self.subscriptions = subscriptions
  }

  /// The list of the entitlements, issued now.
  func list(in environment: PurchaseEnvironment) -> EntitlementList {
    EntitlementList(
      bundleID: customer.app, environment: environment, subject: customer.subject, issuedAt: now,
      validUntil: now + EntitlementList.lifetime, entitlements: entitlements)
  }
}
