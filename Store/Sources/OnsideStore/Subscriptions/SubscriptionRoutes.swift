import Foundation
import Hummingbird
import OnsideAPI
import OnsideCommerce

/// Where the account's subscriptions in an app stand.
struct SubscriptionRoutes: RouteGroup {
  let dependencies: StoreDependencies

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.subscriptions) { request, context in
      let claims = try context.requireClaims()
      let language = ProductQuery.languages(String(request.uri.queryParameters["language"] ?? "")).first
      let (subscriptions, country, now) = try await dependencies.read(for: claims.accountID) { transaction in
        guard let country = try AccountRecords.country(of: claims.accountID, in: transaction) else {
          throw Problem.notAuthenticated
        }
        return (try SubscriptionRecords.subscriptions(of: claims.accountID, in: transaction), country, transaction.now)
      }
      let own = subscriptions.filter { $0.key.app == claims.customer.app }
      return try .json(
        SubscriptionsMessage(
          subscriptions: own.map { subscription in
            var machine = subscription.machine
            _ = machine.handle(.clock, at: now)
            return SubscriptionMessage(machine, groupID: subscription.key.group) { price in
              PriceMessage(price, formatted: price.formatted(country: country, language: language ?? "en"))
            }
          }))
    }
  }
}
