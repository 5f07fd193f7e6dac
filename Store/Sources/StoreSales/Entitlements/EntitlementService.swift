import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideVerify
import StoreAccounts
package import StoreBase
import StoreWeb

/// Reads what customers may use.
package struct EntitlementService: Sendable {
  private let dependencies: BaseDependencies
  private let purchases: PurchaseRecords

  package init(_ dependencies: BaseDependencies, purchases: PurchaseRecords) {
    self.dependencies = dependencies
    self.purchases = purchases
  }

  /// What a customer may use now: what was bought, with the grace periods that subscriptions are in.
  func list(for customer: Customer) async throws -> EntitlementList {
    let environment = dependencies.environment.ofPurchases
    return try await dependencies.read(for: customer.account) { [purchases] transaction in
      guard try AccountRecords.country(of: customer.account, in: transaction) != nil else {
        throw Problem.notAuthenticated
      }
      let bought = try purchases.restorable(of: customer, in: transaction).compactMap(Entitlement.init)
      return EntitlementList(
        of: bought, account: customer.account, app: customer.app, environment: environment, at: transaction.now,
        subscriptions: try Self.subscriptions(of: customer, in: transaction))
    }
  }

  /// The subscriptions of a customer as they stand by now, each by the order that paid its last period.
  private static func subscriptions(
    of customer: Customer, in transaction: StoreTransaction
  ) throws -> [UUID: SubscriptionMachine] {
    let known = try SubscriptionRecords.subscriptions(of: customer.account, in: transaction)
      .filter { $0.key.app == customer.app }
    return Dictionary(known.map { ($0.lastOrder, $0.machine.asOf(transaction.now)) }) { first, _ in first }
  }
}
