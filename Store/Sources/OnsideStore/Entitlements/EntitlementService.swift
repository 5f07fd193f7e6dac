import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideVerify

/// Reads what customers may use.
struct EntitlementService: Sendable {
  private let dependencies: StoreDependencies
  private let purchases: PurchaseRecords

  init(_ dependencies: StoreDependencies, purchases: PurchaseRecords) {
    self.dependencies = dependencies
    self.purchases = purchases
  }

  /// What a customer may use now: what was bought, with the grace periods that subscriptions are in.
  func list(for customer: Customer) async throws -> EntitlementList {
    let environment = dependencies.configuration.environment.ofPurchases
    return try await dependencies.read(for: customer.account) { [purchases] transaction in
      guard try AccountRecords.country(of: customer.account, in: transaction) != nil else {
        throw Problem.notAuthenticated
      }
      let bought = try purchases.restorable(of: customer, in: transaction).compactMap(Entitlement.init)
      return try EntitlementList(
        of: bought, account: customer.account, app: customer.app, environment: environment, at: transaction.now
      ) { try Self.subscription(of: $0, for: customer, in: transaction) }
    }
  }

  /// The subscription whose last period an entitlement is, as it stands by now.
  private static func subscription(
    of entitlement: Entitlement, for customer: Customer, in transaction: StoreTransaction
  ) throws -> SubscriptionMachine? {
    guard let group = entitlement.subscriptionID else { return nil }
    let key = SubscriptionKey(account: customer.account, app: customer.app, group: group)
    guard let known = try SubscriptionRecords.subscription(key, in: transaction),
      known.lastOrder == entitlement.orderID
    else { return nil }
    return known.machine.asOf(transaction.now)
  }
}
