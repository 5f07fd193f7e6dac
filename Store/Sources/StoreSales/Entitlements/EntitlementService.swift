import Foundation
import OnsideAPI
import OnsideCommerce
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
    let (environment, products) = (dependencies.environment.ofPurchases, purchases.products)
    return try await dependencies.read(for: customer.account) { transaction in
      guard try AccountRecords.country(of: customer.account, in: transaction) != nil else {
        throw Problem.notAuthenticated
      }
      return try CustomerState(of: customer, products: products, in: transaction).list(in: environment)
    }
  }
}
