import HTTPTypes
import Hummingbird
import OnsideAPI
import StoreBase
import StoreWeb

/// The public keys that verify receipts and histories.
package struct KeyRoutes: RouteGroup {
  package let keys: SigningKeys

  package init(keys: SigningKeys) {
    self.keys = keys
  }

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.jwks) { _, _ in
      var json = JSONWriter()
      json.object { json in
        json.name("keys")
        json.array(keys.all) { $1.writePublic(to: &$0) }
      }
      var response = Response.bytes(json.bytes, contentType: "application/jwk-set+json")
      response.headers[.cacheControl] = "public, max-age=300"
      return response
    }
  }
}
