import Foundation
import Hummingbird
import OnsideAPI
import OnsideCommerce

/// The account's purchases in an app as a signed history.
struct HistoryRoutes: RouteGroup {
  let dependencies: StoreDependencies
  let records: OrderRecords
  let keys: SigningKeys

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.history) { _, context in
      let claims = try context.requireClaims()
      let (now, environment) = (dependencies.clock.now(), dependencies.configuration.environment)
      let orders = try await dependencies.database.read { [records] connection in
        _ = try AccountRegion.country(of: claims.accountID, connection)
        return try records.orders(
          account: claims.accountID, app: claims.appID, where: "o.state = 'paid' AND o.duplicate_of IS NULL", [],
          connection)
      }
      let purchases = orders.compactMap { $0.purchase(in: environment, fetchedAt: now) }.sorted {
        ($0.purchaseDate, $0.orderID.lowercase) < ($1.purchaseDate, $1.orderID.lowercase)
      }
      return .bytes(try keys.active().sign(PurchaseJSON.history(purchases)).utf8, "application/jose")
    }
  }
}
