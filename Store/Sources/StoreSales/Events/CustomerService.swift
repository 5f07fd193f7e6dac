import Foundation
package import OnsideCommerce
package import StoreAccounts
package import StoreBase

/// A customer as a merchant's server reads it.
package struct MerchantCustomer: Sendable {
  /// The entitlements and subscriptions.
  package let object: CustomerObject
  /// The app's token of the newest purchase that has one.
  package let appAccountToken: String?
  /// The newest paid orders, each a JSON object; the newest first.
  package let orders: [String]
  /// The sequence of the customer's newest event; 0 before the first one.
  package let sequence: Int64
  /// The list of the entitlements, issued now.
  package let list: EntitlementList
}

/// Reads the state of customers for merchants' servers.
package struct CustomerService: Sendable {
  /// The highest number of orders of a customer in an answer.
  private static let orderLimit = 20
  /// The highest number of customers in an answer.
  private static let customerLimit = 20

  private let dependencies: BaseDependencies
  private let products: OrderedProducts

  package init(_ dependencies: BaseDependencies, products: OrderedProducts) {
    self.dependencies = dependencies
    self.products = products
  }

  /// The customer of an app with a subject; nil without one, and after the removal of its account.
  package func customer(_ subject: String, of app: String) async throws -> MerchantCustomer? {
    try await dependencies.database.read(at: dependencies.clock.now()) { transaction in
      try CustomerRecords.customer(subject: subject, of: app, in: transaction).flatMap {
        try read($0, in: transaction)
      }
    }
  }

  /// The account of an app's customer with a subject; nil without one, and after the removal of the account.
  package func account(of subject: String, in app: String) async throws -> Customer? {
    try await dependencies.database.read { connection in
      guard let customer = try CustomerRecords.customer(subject: subject, of: app, in: connection),
        try AccountRecords.country(of: customer.account, in: connection) != nil
      else { return nil }
      return customer
    }
  }

  /// The customers of an app with a purchase that has the app's token. Several accounts may buy for one user of an app.
  package func customers(appAccountToken token: String, of app: String) async throws -> [MerchantCustomer] {
    try await dependencies.database.read(at: dependencies.clock.now()) { transaction in
      try CustomerRecords.customers(
        appAccountToken: token, of: app, limit: Self.customerLimit, in: transaction
      ).compactMap { try read($0, in: transaction) }
    }
  }

  private func read(_ customer: Customer, in transaction: StoreTransaction) throws -> MerchantCustomer? {
    guard try AccountRecords.country(of: customer.account, in: transaction) != nil else { return nil }
    let transaction = try transaction.at(timeOf: customer.account, in: dependencies.environment)
    let state = try CustomerState(of: customer, products: products, in: transaction)
    let newest = try MerchantEventRecords.newest(.customer, customer.subject, in: customer.app, in: transaction).event
    let orders = try CustomerRecords.newestOrders(of: customer, limit: Self.orderLimit, in: transaction)
    return MerchantCustomer(
      object: try CustomerObject(state, in: transaction),
      appAccountToken: try CustomerRecords.appAccountToken(of: customer, in: transaction),
      orders: try orders.compactMap { try OrderEvents.object(of: $0, in: transaction)?.json },
      sequence: newest?.sequence ?? 0, list: state.list(in: dependencies.environment.ofPurchases))
  }
}
