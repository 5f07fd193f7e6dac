import Foundation
import Hummingbird
import OnsideAPI
package import StoreBase
import StoreSales
import StoreWeb

/// The orders of an app over HTTP, for the merchant's backend.
package struct MerchantOrderRoutes: RouteGroup {
  private let dependencies: BaseDependencies

  package init(dependencies: BaseDependencies) {
    self.dependencies = dependencies
  }

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.merchantOrder) { _, context in
      let app = try context.requireAPIKey().app
      let id = try context.orderID()
      let state = try await dependencies.database.read(at: dependencies.clock.now()) {
        try OrderEvents.state(of: id, in: app, in: $0)
      }
      guard let state else { throw Problem.notFound }
      return .bytes(state.json, contentType: "application/json")
    }
  }
}

extension OrderEvents.State {
  /// The bytes of a `MerchantOrderMessage`.
  fileprivate var json: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.field("order", json: object.json.utf8)
      json.field("sequence", sequence)
    }
    return json.bytes
  }
}
