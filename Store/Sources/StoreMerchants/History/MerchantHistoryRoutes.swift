import Foundation
import HTTPTypes
import Hummingbird
import OnsideAPI
import StoreBase
package import StoreWeb

/// The documented route on which a merchant's server requests the history of an order.
package struct MerchantHistoryRoutes: RouteGroup {
  private let histories: MerchantHistoryService

  package init(histories: MerchantHistoryService) {
    self.histories = histories
  }

  package func addRoutes(to routes: StoreRoutes) {
    routes.on(.merchantHistory) { _, context in
      let history = try await histories.history(of: context.orderID(), for: context.requireAppID())
      return .bytes(history.utf8, contentType: "application/jose")
    }
  }
}
