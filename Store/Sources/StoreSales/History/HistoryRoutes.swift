import Foundation
import HTTPTypes
import Hummingbird
import OnsideAPI
import OnsideCommerce
import StoreAccounts
package import StoreBase
import StoreWeb

/// The account's purchases in an app as a signed history.
package struct HistoryRoutes: RouteGroup {
  package let dependencies: BaseDependencies
  package let records: PurchaseRecords
  package let keys: SigningKeys

  package init(dependencies: BaseDependencies, records: PurchaseRecords, keys: SigningKeys) {
    self.dependencies = dependencies
    self.records = records
    self.keys = keys
  }

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.history) { request, context in
      let page = try HistoryPage(request)
      let claims = try context.requireClaims()
      let purchases = try await dependencies.read(for: claims.accountID) { [records] transaction in
        guard try AccountRecords.country(of: claims.accountID, in: transaction) != nil else {
          throw Problem.notAuthenticated
        }
        // One more than the page has tells whether there is a next one.
        return try records.purchases(
          of: claims.customer, after: page?.position, limit: page.map { $0.limit + 1 }, in: transaction)
      }
      guard let page else { return try answer(purchases) }
      let part = page.cut(from: purchases)
      var response = try answer(part.purchases)
      response.headers[.link] = part.next.map { page.link(to: $0) }
      return response
    }
  }

  private func answer(_ purchases: [InAppPurchase]) throws -> Response {
    .bytes(try keys.signedHistory(of: purchases).utf8, contentType: "application/jose")
  }
}
