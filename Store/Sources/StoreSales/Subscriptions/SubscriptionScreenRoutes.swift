import Foundation
import Hummingbird
import OnsideAPI
package import StoreAccounts
import StoreWeb

extension Route {
  static let subscriptionScreen = Route(.get, "/subscriptions/{token}", by: .browser)
}

/// The screen that an app opens for its user (`presentSubscriptionsManager`): the account's subscriptions in the app.
/// With one of them it is the page of that one.
package struct SubscriptionScreenRoutes: RouteGroup {
  package let responder: PageResponder
  package let subscriptions: SubscriptionService
  package let orders: OrderService
  package let apps: AppDirectory
  package let screen: HostedScreen

  package init(
    responder: PageResponder, subscriptions: SubscriptionService, orders: OrderService, apps: AppDirectory,
    screen: HostedScreen
  ) {
    self.responder = responder
    self.subscriptions = subscriptions
    self.orders = orders
    self.apps = apps
    self.screen = screen
  }

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.subscriptionsSession) { try await screen.address($0, $1) }
    responder.on(.subscriptionScreen, in: routes) { visit, request, context in
      let opening = try screen.opening(request, context: context, keeping: ["group"])
      guard let account = visit.account, account.id.uuid == opening.account else {
        return try await screen.logIn(to: opening, visit)
      }
      return try await show(opening, group: request.queryFields.single("group"), of: account, visit: visit)
    }
  }

  private func show(
    _ opening: HostedScreen.Opening, group: String?, of account: Account, visit: PageVisit
  ) async throws -> Response {
    let (app, back) = (opening.app, opening.back)
    let all = try await subscriptions.current(of: account.id.description).filter { shown in
      shown.subscription.key.app == app && (group == nil || shown.subscription.key.group == group)
    }
    if all.count == 1, let only = all.first {
      return responder.redirect(to: SubscriptionPageRoutes.Place(only.subscription.key, back: back).path(), visit)
    }
    let page = SubscriptionListPage(
      subscriptions: all.map { shown in
        AccountPage.Subscription(
          shown, payAddress: shown.unpaidOrder.map { "/pay/\(orders.json.tokens.token(orderID: $0))\(back.query)" },
          method: subscriptions.methodName(of: shown, for: visit), back: back, texts: visit.texts)
      }, back: back.link(to: apps.app(app), texts: visit.texts))
    return responder.respond(page, to: visit)
  }
}
