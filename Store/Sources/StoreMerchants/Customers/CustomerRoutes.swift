import Foundation
import Hummingbird
import OnsideAPI
import OnsideCommerce
package import StoreSales
package import StoreWeb

/// The state of customers, for merchants' servers.
package struct CustomerRoutes: RouteGroup {
  package let customers: CustomerService
  package let keys: SigningKeys

  package init(customers: CustomerService, keys: SigningKeys) {
    self.customers = customers
    self.keys = keys
  }

  package func addRoutes(to routes: StoreRoutes) {
    routes.on(.merchantCustomer) { _, context in
      let app = try context.requireAPIKey().app
      guard let customer = try await customers.customer(context.subject(), of: app) else { throw Problem.notFound }
      return .bytes(try answer(customer).json, contentType: "application/json")
    }
    routes.on(.merchantCustomers) { request, context in
      let app = try context.requireAPIKey().app
      guard let token = request.queryFields.single("app_account_token"), token.utf8.count <= 512, !token.contains("\0")
      else {
        throw Problem.invalidRequest("Expected app_account_token, the app's token of a purchase, once.")
      }
      let found = try await customers.customers(appAccountToken: token, of: app)
      return .bytes(CustomerAnswer.json(of: try found.map(answer)), contentType: "application/json")
    }
  }

  private func answer(_ customer: MerchantCustomer) throws -> CustomerAnswer {
    let payload = Array(try TransactionHistory.encoder.encode(customer.list))
    return CustomerAnswer(
      customer: customer, signed: try keys.active().sign(payload, type: EntitlementList.type))
  }
}
