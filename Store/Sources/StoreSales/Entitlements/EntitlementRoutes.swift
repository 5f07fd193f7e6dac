import Foundation
import Hummingbird
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreWeb

/// What the account may use in an app, as a signed list.
package struct EntitlementRoutes: RouteGroup {
  package let entitlements: EntitlementService
  package let keys: SigningKeys

  package init(entitlements: EntitlementService, keys: SigningKeys) {
    self.entitlements = entitlements
    self.keys = keys
  }

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.entitlements) { request, context in
      let nonce = request.uri.queryParameters["nonce"].map { String($0) }
      if let nonce, nonce.wholeMatch(of: /[A-Za-z0-9_\-]{22}/) == nil {
        throw Problem.invalidRequest("Expected a nonce of 128 bits in base64url, which are 22 characters.")
      }
      var list = try await entitlements.list(for: context.requireClaims().customer)
      list.nonce = nonce
      let payload = try Array(TransactionHistory.encoder.encode(list))
      return .bytes(
        try keys.active().sign(payload, type: EntitlementList.type).utf8, contentType: "application/jose")
    }
  }
}
