import Foundation
import HTTPTypes
import Hummingbird
import OnsideAPI

extension Route {
  static let methodsPage = Route(.get, "/methods/{token}", by: .browser)
  static let methodsChange = Route(.post, "/methods/{token}", by: .browser)
  static let methodsDone = Route(.post, "/methods/{token}/done", by: .browser)
}

/// The page of an account's payment methods, which an app opens for its user. The app knows the page's address as well.
/// Therefore only a browser in which the account is logged in sees the page.
struct PaymentMethodRoutes: RouteGroup {
  let responder: PageResponder
  let logins: LoginService
  let payments: PaymentService
  let apps: AppDirectory

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.paymentMethodsSession) { _, context in
      let claims = try context.requireClaims()
      let (token, now) = (responder.random.token(bytes: 24), responder.clock.now())
      try await responder.database.write(at: now) { transaction in
        // An access token outlives its account by minutes.
        guard try AccountRecords.country(of: claims.accountID, in: transaction) != nil else {
          throw Problem.notAuthenticated
        }
        try MethodsSessionRecords.insert(token, for: claims.customer, in: transaction)
      }
      return try .json(HostedPageMessage(url: responder.address.url(path: "/methods/\(token)")), status: .created)
    }
    onSession(.methodsPage, routes: routes) { session, _, visit in try await show(session, for: visit) }
    onSession(.methodsChange, routes: routes, handler: change)
    onSession(.methodsDone, routes: routes) { session, _, visit in
      responder.redirect(to: session.back.location ?? LocalPath.home.text, visit)
    }
  }

  private struct Session: Sendable {
    let token: String
    let account: String
    let back: PageReturn

    func path(_ step: String = "") -> String { "/methods/\(token)\(step)\(back.query)" }
  }

  private typealias Handler = @Sendable (Session, FormFields, PageVisit) async throws -> Response

  private func onSession(_ route: Route, routes: StoreRoutes, handler: @escaping Handler) {
    responder.on(route, in: routes) { visit, request, context in
      let session = try await session(request, context: context)
      let form =
        route.method == .post ? try await responder.form(request, context: context, for: visit) : FormFields("")
      guard visit.account?.id.description == session.account else { return try await logIn(session, for: visit) }
      return try await handler(session, form, visit)
    }
  }

  private func session(_ request: Request, context: StoreRequestContext) async throws -> Session {
    let token = context.parameters.get("token") ?? ""
    let now = responder.clock.now()
    let found = try await responder.database.read(at: now) { try MethodsSessionRecords.session(token, in: $0) }
    guard let found else { throw PageProblem.gone }
    return Session(
      token: token, account: found.account, back: try PageReturn(request.queryFields, app: apps.app(found.app)))
  }

  /// Redirects to a login that returns here. A browser that is logged in to another account gets the page that asks for
  /// a number, not the offer to continue with that account.
  private func logIn(_ session: Session, for visit: PageVisit) async throws -> Response {
    let attempt = try await logins.begin(
      .web(next: session.path()), browser: visit.browserHash, language: visit.look.language, theme: visit.look.theme)
    return responder.redirect(to: "/login/\(attempt.id)" + (visit.account == nil ? "" : "?number=other"), visit)
  }

  private func change(_ session: Session, form: FormFields, visit: PageVisit) async throws -> Response {
    switch form["do"] {
    case "add":
      guard let card = form.single("card").flatMap(SandboxCard.init) else { throw PageProblem.form }
      try await payments.save(card, of: session.account)
    case "remove": try await payments.remove(form["method"] ?? "", of: session.account)
    case "default": try await payments.prefer(form["method"] ?? "", of: session.account)
    default: throw PageProblem.form
    }
    return responder.redirect(to: session.path(), visit)
  }

  private func show(_ session: Session, for visit: PageVisit) async throws -> Response {
    let saved = try await payments.methods(of: session.account)
    let methods = saved.map { method in
      PaymentMethodsPage.Method(
        id: method.id, name: visit.texts.name(method.card), note: visit.texts.note(method.card),
        isDefault: method.id == saved.first?.id)
    }
    let missing = SandboxCard.allCases.filter { card in !saved.contains { $0.card == card } }
    let choices = missing.map { card in
      PageOption(value: card.rawValue, label: visit.texts.name(card), isChosen: card == missing.first)
    }
    let page = PaymentMethodsPage(
      methods: methods, choices: choices, action: session.path(), doneAction: session.path("/done"))
    return responder.respond(page, to: visit, targets: session.back.targets)
  }
}
