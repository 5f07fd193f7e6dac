import HTTPTypes
import Hummingbird
import OnsideAPI
import OnsideCommerce

/// A person's own page.
struct AccountPageRoutes: RouteGroup {
  let desk: PageDesk
  let accounts: AccountService
  let orders: OrderService
  let apps: AppDirectory

  func addRoutes(to routes: StoreRoutes) {
    desk.on(.accountPage, routes) { visit, request, _ in
      guard let account = visit.account else { return logIn(visit) }
      let isSaved = request.queryFields["saved"] != nil
      return try await show(account, visit, isSaved: isSaved)
    }
    desk.on(.accountChange, routes) { visit, request, context in
      let form = try await desk.form(request, context, visit)
      guard let account = visit.account else { return logIn(visit) }
      guard let country = form.single("country").flatMap(CountryCode.init(alpha2:)) else {
        return try await show(account, visit, error: visit.texts[.regionUnknown])
      }
      _ = try await accounts.changeRegion(of: account.id, to: country)
      return desk.redirect(to: "/account?saved=1", visit)
    }
  }

  private func logIn(_ visit: PageVisit) -> Response { desk.redirect(to: "/login?next=%2Faccount", visit) }

  private func show(
    _ account: Account, _ visit: PageVisit, isSaved: Bool = false, error: String? = nil
  ) async throws -> Response {
    let texts = visit.texts
    let page = AccountPage(
      number: account.phone?.masked ?? "", regions: PageOption.regions(visit.look.language, chosen: account.country),
      saved: isSaved ? texts(.accountSaved, ["country": texts.name(account.country)]) : nil, error: error,
      purchases: try await purchases(account).map { purchase($0, texts) })
    return desk.respond(page, visit, status: error == nil ? .ok : .unprocessableContent)
  }

  /// The account's orders in every app, the newest first.
  private func purchases(_ account: Account) async throws -> [Order] {
    let (records, apps, id) = (orders.records, apps.all, account.id.description)
    let all = try await desk.database.read { connection in
      try apps.flatMap { try records.orders(account: id, app: $0.id, where: "o.duplicate_of IS NULL", [], connection) }
    }
    return Array(all.sorted { $0.createdAt > $1.createdAt }.prefix(100))
  }

  private func purchase(_ order: Order, _ texts: Texts) -> AccountPage.Purchase {
    let (state, style): (TextKey, String) =
      switch order.state.stage {
      case .paid: order.state.revocation == nil ? (.statePaid, "good") : (.stateRefunded, "plain")
      case .open: (.stateOpen, "plain")
      case .processing: (.stateProcessing, "")
      case .cancelled: (.stateCancelled, "plain")
      }
    let token = orders.json.tokens.token(orderID: order.id)
    return AccountPage.Purchase(
      title: order.product.message.title,
      detail: "\(order.priceText.isolated) · \(texts.day(order.paidAt ?? order.createdAt))", state: texts[state],
      stateClass: style, address: order.state.stage == .paid ? "/receipt/\(token)" : nil)
  }
}
