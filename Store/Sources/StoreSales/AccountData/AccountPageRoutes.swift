import HTTPTypes
import Hummingbird
package import OnsideAPI
import OnsideCommerce
package import StoreAccounts
import StoreBase
import StoreWeb

extension Route {
  package static let accountPage = Route(.get, "/account", by: .browser)
  static let accountChange = Route(.post, "/account", by: .browser)
  static let accountSessions = Route(.post, "/account/sessions", by: .browser)
}

/// A person's own page.
package struct AccountPageRoutes: RouteGroup {
  /// How many orders the page shows.
  private static let purchaseLimit = 100

  package let responder: PageResponder
  package let accounts: AccountService
  package let orders: OrderService
  package let subscriptions: SubscriptionService
  package let apps: AppDirectory
  package let sessions: AccountSessions

  package init(
    responder: PageResponder, accounts: AccountService, orders: OrderService, subscriptions: SubscriptionService,
    apps: AppDirectory, sessions: AccountSessions
  ) {
    self.responder = responder
    self.accounts = accounts
    self.orders = orders
    self.subscriptions = subscriptions
    self.apps = apps
    self.sessions = sessions
  }

  func addRoutes(to routes: StoreRoutes) {
    responder.on(.accountPage, in: routes) { visit, request, _ in
      guard let login = visit.login else { return responder.logIn(to: "/account", visit) }
      return try await show(
        login, for: visit, notice: notice(request.queryFields, account: login.account, texts: visit.texts))
    }
    responder.on(.accountChange, in: routes) { visit, request, context in
      let form = try await responder.form(request, context: context, for: visit)
      guard let login = visit.login else { return responder.logIn(to: "/account", visit) }
      guard let country = form.single("country").flatMap(CountryCode.init(alpha2:)) else {
        return try await show(login, for: visit, error: visit.texts[.regionUnknown])
      }
      guard country != login.account.country else { return responder.redirect(to: "/account", visit) }
      guard form.single("confirmed") == country.alpha2 else {
        return confirm(country, account: login.account, visit: visit)
      }
      _ = try await accounts.changeRegion(of: login.account.id, to: country)
      return responder.redirect(to: "/account?saved=1", visit)
    }
    responder.on(.accountSessions, in: routes) { visit, request, context in
      let form = try await responder.form(request, context: context, for: visit)
      guard let login = visit.login else { return responder.logIn(to: "/account", visit) }
      guard let end = form.single("end") else { throw PageProblem.form }
      if end == "others" {
        try await sessions.endAll(of: login.account.id, but: login, browserHash: visit.browserHash)
      } else {
        try await sessions.end(end, of: login.account.id)
      }
      return responder.redirect(to: "/account?ended=1", visit)
    }
  }

  private func notice(_ query: FormFields, account: Account, texts: Texts) -> String? {
    if query["ended"] != nil { return texts[.sessionsEnded] }
    return query["saved"] == nil ? nil : texts(.accountSaved, ["country": texts.name(account.country)])
  }

  /// What a move changes is said before it happens.
  private func confirm(_ country: CountryCode, account: Account, visit: PageVisit) -> Response {
    let texts = visit.texts
    let words = ["country": texts.name(country)]
    let page = RegionChangePage(
      heading: texts(.moveTitle, words), lead: texts(.moveLead, ["country": texts.name(account.country)]),
      prices: texts(.movePrices, words), country: country.alpha2, submitLabel: texts(.moveSubmit, words))
    return responder.respond(page, to: visit)
  }

  private func show(
    _ login: WebSession, for visit: PageVisit, notice: String? = nil, error: String? = nil
  ) async throws -> Response {
    let (texts, account) = (visit.texts, login.account)
    let page = AccountPage(
      number: account.masked, regions: PageOption.regions(visit.look.language, chosen: account.country),
      saved: notice, error: error, subscriptions: try await subscriptions(of: account, for: visit),
      sessions: try await sessions.all(of: account.id).map {
        session($0, isCurrent: $0.id == login.listedID, country: account.country, texts: texts)
      },
      purchases: try await purchases(account).map { purchase($0, country: account.country, texts: texts) })
    return responder.respond(page, to: visit, status: error == nil ? .ok : .unprocessableContent)
  }

  private func subscriptions(
    of account: Account, for visit: PageVisit
  ) async throws -> [AccountPage.Subscription] {
    try await subscriptions.current(of: account.id.description).map { current in
      let unpaid = current.unpaidOrder.map { "/pay/\(orders.json.tokens.token(orderID: $0))" }
      return AccountPage.Subscription(
        current, payAddress: unpaid, method: subscriptions.methodName(of: current, for: visit), texts: visit.texts)
    }
  }

  private func session(
    _ session: AccountSession, isCurrent: Bool, country: CountryCode, texts: Texts
  ) -> AccountPage.Session {
    let title =
      switch session.place {
      case .app(let id): apps.app(id)?.name ?? id
      case .browser: texts[.sessionsBrowser]
      }
    return AccountPage.Session(
      id: session.id, title: title, device: session.device ?? texts[.sessionsUnknown],
      times: texts(
        .sessionsTimes,
        ["since": texts.day(session.since, in: country), "used": texts.day(session.usedAt, in: country)]),
      isCurrent: isCurrent)
  }

  /// The account's newest orders in every app, the newest first.
  private func purchases(_ account: Account) async throws -> [BuyerRefundRequestService.Purchase] {
    let (records, apps, id) = (orders.records, apps.all, account.id.description)
    let (all, requests) = try await responder.database.read { connection in
      let all = try apps.flatMap { app in
        try records.orders(.newest(Self.purchaseLimit), of: Customer(account: id, app: app.id), in: connection)
      }
      return (all, try BuyerRefundRequestRecords.requests(of: id, in: connection))
    }
    let byOrder = Dictionary(requests.map { ($0.orderID, $0) }) { first, _ in first }
    // A grant by the store is shown as the purchase that it replaces.
    func isShown(_ order: Order) -> Bool { order.reinstates == nil || order.cause?.isByOperator == true }
    let reinstated = Set(all.filter { $0.state.isEntitled && !isShown($0) }.compactMap(\.reinstates))
    let shown = all.filter(isShown).sorted { $0.createdAt > $1.createdAt }
    return shown.prefix(Self.purchaseLimit).map { order in
      BuyerRefundRequestService.Purchase(
        order: order, request: byOrder[order.id], isReinstated: reinstated.contains(order.id))
    }
  }

  private func purchase(
    _ purchase: BuyerRefundRequestService.Purchase, country: CountryCode, texts: Texts
  ) -> AccountPage.Purchase {
    let order = purchase.order
    let (state, style): (TextKey, String) =
      switch order.state.stage {
      case .paid where order.state.revocation == nil || purchase.isReinstated: (.statePaid, "good")
      case .paid: (.stateRefunded, "plain")
      case .open: (.stateOpen, "plain")
      case .processing: (.stateProcessing, "")
      case .cancelled: (.stateCancelled, "plain")
      }
    let token = orders.json.tokens.token(orderID: order.id)
    let day = texts.day(order.paidAt ?? order.createdAt, in: country)
    return AccountPage.Purchase(
      title: order.quantityText.map { "\($0) × \(order.product.message.title)" } ?? order.product.message.title,
      detail: "\(order.priceText.isolated) · \(day.isolated)", state: texts[state],
      stateClass: style, address: order.state.stage == .paid ? Route.receiptPath(token) : nil,
      refund: purchase.request != nil || purchase.isRefundable
        ? PageLink(
          label: texts[purchase.request == nil ? .refundAsk : .refundRequest],
          address: "/account/purchases/\(order.id.lowercase)/refund") : nil)
  }
}
