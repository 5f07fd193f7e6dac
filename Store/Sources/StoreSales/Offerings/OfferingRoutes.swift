import Foundation
import Hummingbird
import OnsideAPI
import StoreWeb

/// The groups of products that the operator of an app has put together.
package struct OfferingRoutes: RouteGroup {
  package let offerings: OfferingService

  package init(offerings: OfferingService) {
    self.offerings = offerings
  }

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.offerings) { _, context in
      let offerings = try await offerings.offerings(of: context.requireAppID())
      let message = OfferingsMessage(
        current: offerings.current,
        offerings: offerings.all.map {
          OfferingMessage(id: $0.id, metadata: $0.metadata, productIDs: $0.productIDs)
        })
      return .bytes(try WireCoding.encoder().encode(message), contentType: "application/json")
    }
  }
}
