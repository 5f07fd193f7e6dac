import Foundation
import Hummingbird
import OnsideAPI
import OnsideCommerce
import StoreAccounts
package import StoreBase
import StoreWeb

/// Where the account's subscriptions in an app stand.
package struct SubscriptionRoutes: RouteGroup {
  package let dependencies: BaseDependencies
  package let catalogue: CatalogueService
  package let orders: OrderRecords

  package init(dependencies: BaseDependencies, catalogue: CatalogueService, orders: OrderRecords) {
    self.dependencies = dependencies
    self.catalogue = catalogue
    self.orders = orders
  }

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.subscriptions) { request, context in
      let claims = try context.requireClaims()
      let language = ProductQuery.languages(String(request.uri.queryParameters["language"] ?? "")).first
      let customer = claims.customer
      let (own, offers, country, now) = try await dependencies.read(for: claims.accountID) {
        [catalogue, orders] transaction in
        guard let country = try AccountRecords.country(of: claims.accountID, in: transaction) else {
          throw Problem.notAuthenticated
        }
        let own = try SubscriptionRecords.subscriptions(of: claims.accountID, in: transaction)
          .filter { $0.key.app == customer.app }
        let offers = try catalogue.catalogue(of: customer.app).offers(
          for: customer, country: country, orders: orders, at: transaction.now, in: transaction)
        return (own, offers, country, transaction.now)
      }
      return try .json(
        SubscriptionsMessage(
          subscriptions: own.map { subscription in
            var message = SubscriptionMessage(subscription.machine.asOf(now), groupID: subscription.key.group) {
              price in
              PriceMessage(price, formatted: price.formatted(country: country, language: language ?? "en"))
            }
            let allowed = offers.filter { $0.product.subscription?.groupID == subscription.key.group }
            if !allowed.isEmpty { message.offers = allowed.map(\.name) }
            return message
          }))
    }
  }
}
