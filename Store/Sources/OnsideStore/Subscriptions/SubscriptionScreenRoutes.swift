import Foundation
import Hummingbird
import OnsideAPI

extension Route {
  static let subscriptionScreen = Route(.get, "/subscriptions/{token}", by: .browser)
}

/// The screen that an app opens for its user (`presentSubscriptionsManager`): the account's subscriptions in the app.
/// With one of them it is the page of that one. The app knows the address as well; therefore only a browser in which
/// the account is logged in sees the page.
struct SubscriptionScreenRoutes: RouteGroup {
  let responder: PageResponder
  let subscriptions: SubscriptionService
  let orders: OrderService
  let logins: LoginService
  let apps: AppDirectory
  let tokens: HostedPageToken

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.subscriptionsSession) { _, context in
      let claims = try context.requireClaims()
      let now = responder.clock.now()
      // An access token outlives its account by minutes.
      guard let account = UUID(text: claims.accountID),
        try await responder.database.read(at: now, { try AccountRecords.country(of: claims.accountID, in: $0) }) != nil
      else { throw Problem.notAuthenticated }
      let path = "/subscriptions/\(tokens.token(of: account, now: now))"
      let url = responder.address.url(path: path).appending(queryItems: [.init(name: "app", value: claims.customer.app)]
      )
      return try .json(HostedPageMessage(url: url), status: .created)
    }
    responder.on(.subscriptionScreen, in: routes) { visit, request, context in
      let token = context.parameters.get("token") ?? ""
      guard let account = tokens.id(token, now: responder.clock.now()), let app = request.queryFields.single("app")
      else { throw PageProblem.gone }
      let back = try PageReturn(request.queryFields, app: apps.app(app))
      guard visit.account?.id.uuid == account else {
        let group = request.queryFields.single("group").map { [("group", $0)] } ?? []
        let path = "/subscriptions/\(token)".appendingQuery([("app", app)] + group + back.fields)
        return try await responder.logInAgain(to: path, with: logins, visit)
      }
      return try await show(app, group: request.queryFields.single("group"), back: back, visit: visit)
    }
  }

  private func show(_ app: String, group: String?, back: PageReturn, visit: PageVisit) async throws -> Response {
    guard let account = visit.account else { throw PageProblem.gone }
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
          back: back, texts: visit.texts)
      }, back: back.link(to: apps.app(app), texts: visit.texts))
    return responder.respond(page, to: visit)
  }
}
