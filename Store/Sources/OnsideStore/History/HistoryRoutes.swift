import Foundation
import HTTPTypes
import Hummingbird
import OnsideAPI
import OnsideCommerce

/// The account's purchases in an app as a signed history.
struct HistoryRoutes: RouteGroup {
  let dependencies: StoreDependencies
  let records: OrderRecords
  let keys: SigningKeys

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.history) { request, context in
      let page = try HistoryPage(request)
      let claims = try context.requireClaims()
      let (now, environment) = (dependencies.clock.now(), dependencies.configuration.environment)
      let orders = try await dependencies.database.read { [records] connection in
        guard try AccountRecords.country(of: claims.accountID, in: connection) != nil else {
          throw Problem.notAuthenticated
        }
        return try records.orders(.paid, of: claims.customer, in: connection)
      }
      let purchases = orders.compactMap { $0.purchase(in: environment, fetchedAt: now) }.sorted {
        HistoryPage.Position($0) < HistoryPage.Position($1)
      }
      guard let page else { return try answer(purchases) }
      let part = page.select(from: purchases)
      var response = try answer(part.purchases)
      response.headers[.link] = part.next.map { page.link(to: $0) }
      return response
    }
  }

  private func answer(_ purchases: [InAppPurchase]) throws -> Response {
    .bytes(try keys.active().sign(PurchaseJSON.history(purchases)).utf8, contentType: "application/jose")
  }
}
