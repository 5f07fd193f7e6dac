import Foundation
import HTTPTypes
import Hummingbird
import OnsideAPI

/// The page of an account's payment methods, opened by an app for its user.
struct MethodsRoutes: RouteGroup {
  let desk: PageDesk
  let payments: PaymentService
  let apps: AppDirectory

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.paymentMethodsSession) { _, context in
      let claims = try context.requireClaims()
      let (token, now) = (desk.random.token(bytes: 24), desk.clock.now())
      try await desk.database.write { connection in
        // An access token outlives its account by minutes.
        _ = try AccountRegion.country(of: claims.accountID, connection)
        try MethodsSessionRecords.insert(connection, token, claims, now: now)
      }
      return try .json(HostedPageMessage(url: desk.address.url(path: "/methods/\(token)")), status: .created)
    }
    desk.on(.methodsPage, routes) { visit, request, context in
      try await show(try await session(visit, request, context), visit)
    }
    desk.on(.methodsChange, routes, change)
    desk.on(.methodsDone, routes) { visit, request, context in
      let session = try await session(visit, request, context)
      _ = try await desk.form(request, context, visit)
      return desk.redirect(to: session.back.address ?? LocalPath.home.text, visit)
    }
  }

  private struct Session: Sendable {
    let token: String
    let account: String
    let back: PageReturn

    func path(_ step: String = "") -> String { "/methods/\(token)\(step)\(back.query)" }
  }

  /// The session of a page's address; the first browser that opens it keeps it.
  private func session(
    _ visit: PageVisit, _ request: Request, _ context: StoreRequestContext
  ) async throws -> Session {
    let token = context.parameters.get("token") ?? ""
    let (browser, now) = (visit.browserHash, desk.clock.now())
    let found = try await desk.database.write { try MethodsSessionRecords.open($0, token, browser: browser, now: now) }
    guard let found else { throw PageProblem.gone }
    guard found.browser == browser else { throw PageProblem.otherBrowser }
    return Session(
      token: token, account: found.account, back: try PageReturn(request.queryFields, app: apps.app(found.appID)))
  }

  private func change(
    _ visit: PageVisit, _ request: Request, _ context: StoreRequestContext
  ) async throws -> Response {
    let session = try await session(visit, request, context)
    let form = try await desk.form(request, context, visit)
    switch form["do"] {
    case "add":
      guard let card = form.single("card").flatMap(SandboxCard.init) else { throw PageProblem.form }
      try await payments.save(card, of: session.account)
    case "remove": try await payments.remove(form["method"] ?? "", of: session.account)
    case "default": try await payments.prefer(form["method"] ?? "", of: session.account)
    default: throw PageProblem.form
    }
    return desk.redirect(to: session.path(), visit)
  }

  private func show(_ session: Session, _ visit: PageVisit) async throws -> Response {
    let saved = try await payments.methods(of: session.account)
    let methods = saved.map { method in
      MethodsPage.Method(
        id: method.id, name: visit.texts.name(method.card), note: visit.texts.note(method.card),
        isDefault: method.id == saved.first?.id)
    }
    let missing = SandboxCard.allCases.filter { card in !saved.contains { $0.card == card } }
    let choices = missing.map { card in
      PageOption(value: card.rawValue, label: visit.texts.name(card), isChosen: card == missing.first)
    }
    let page = MethodsPage(
      methods: methods, choices: choices, action: session.path(), doneAction: session.path("/done"))
    return desk.respond(page, visit, targets: session.back.targets)
  }
}

/// The table of the addresses under which payment methods can be seen for a while.
enum MethodsSessionRecords {
  static let lifetime: TimeInterval = 15 * 60

  struct Session: Sendable {
    var account: String
    var appID: String
    var browser: String
  }

  static func insert(
    _ connection: any SQLConnection, _ token: String, _ claims: AccessToken.Claims, now: Date
  ) throws {
    try connection.execute("DELETE FROM methods_sessions WHERE expires_at < $1", [.date(now)])
    try connection.execute(
      "INSERT INTO methods_sessions(id, account_id, app_id, expires_at) VALUES ($1, $2, $3, $4)",
      [.text(token.sha256), .text(claims.accountID), .text(claims.appID), .date(now + lifetime)])
  }

  /// The session of a token, given to this browser when no other has it.
  static func open(
    _ connection: any SQLConnection, _ token: String, browser: String, now: Date
  ) throws -> Session? {
    let id = SQLValue.text(token.sha256)
    try connection.execute(
      "UPDATE methods_sessions SET browser = $2 WHERE id = $1 AND browser IS NULL", [id, .text(browser)])
    let row = try connection.row(
      "SELECT account_id, app_id, browser FROM methods_sessions WHERE id = $1 AND expires_at > $2", [id, .date(now)])
    return try row.map { row in
      Session(account: try row.text("account_id"), appID: try row.text("app_id"), browser: try row.text("browser"))
    }
  }
}
