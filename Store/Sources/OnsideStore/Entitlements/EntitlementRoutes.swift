import Foundation
import Hummingbird
import OnsideAPI
import OnsideCommerce

/// What the account may use in an app, as a signed list.
struct EntitlementRoutes: RouteGroup {
  let entitlements: EntitlementService
  let keys: SigningKeys

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.entitlements) { _, context in
      let list = try await entitlements.list(for: context.requireClaims().customer)
      let payload = try Array(TransactionHistory.encoder.encode(list))
      return .bytes(
        try keys.active().sign(payload, type: EntitlementList.type).utf8, contentType: "application/jose")
    }
  }
}
