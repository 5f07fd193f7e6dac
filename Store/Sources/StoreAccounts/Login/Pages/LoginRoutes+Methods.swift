import Hummingbird
import OnsideAPI
import StoreWeb

extension LoginRoutes {
  /// The running login of an id. Throws when it has ended, when another browser began it, and when it adds a login
  /// method to an account that is not logged in here.
  func attempt(_ id: String, for visit: PageVisit) async throws -> LoginAttempt {
    let attempt = try await logins.attempt(id, browser: visit.isNewBrowser ? nil : visit.browserHash)
    if case .add(let account) = attempt.purpose, visit.account?.id != account { throw PageProblem.gone }
    return attempt
  }

  /// Continues a login with the identity that another login method has proved.
  func take(_ proved: ProvedIdentity, attempt: LoginAttempt, visit: PageVisit) async throws -> Response {
    try await go(on: try await logins.prove(proved, for: attempt, in: visit.loginBrowser), attempt: attempt, for: visit)
  }

  /// Handles the link to a login method.
  func beginMethod(
    _ attempt: LoginAttempt, visit: PageVisit, request: Request, context: StoreRequestContext
  ) async throws -> Response {
    let id = context.parameters.get("method")
    guard let method = offered(attempt).first(where: { $0.id == id }) else { throw PageProblem.notFound }
    return try await method.begin(attempt, for: visit)
  }

  /// The login methods besides codes that a login offers: none when the app asks for codes only and the store sends
  /// them.
  func offered(_ attempt: LoginAttempt) -> [any LoginMethod] {
    attempt.isLocal && !channels.isEmpty ? [] : methods
  }

  /// The links to all login methods but one.
  func links(_ attempt: LoginAttempt, in texts: Texts, but shown: CodeChannels = []) -> [PageLink] {
    var links: [PageLink] = []
    if channels.contains(.phone), shown == .email {
      links.append(PageLink(label: texts[.phoneInstead], address: path(attempt) + "?number=other&with=phone"))
    }
    if channels.contains(.email), shown == .phone {
      links.append(PageLink(label: texts[.emailInstead], address: path(attempt) + "?number=other&with=email"))
    }
    return links
      + offered(attempt).map { PageLink(label: $0.label(texts), address: path(attempt, step: "/with/\($0.id)")) }
  }

  /// The page with the links to the login methods, for a store that sends no codes.
  func methodsPage(_ attempt: LoginAttempt, for visit: PageVisit) -> Response {
    let links = links(attempt, in: visit.texts)
    guard !links.isEmpty else { return responder.problem(.gone, for: visit) }
    let app = appName(attempt)
    let page = LoginMethodsPage(
      heading: heading(attempt, in: visit.texts),
      lead: app.map { visit.texts(.loginMethodsLeadApp, ["app": $0.isolated]) } ?? visit.texts[.loginMethodsLead],
      links: links,
      cancelAction: path(attempt, step: "/cancel"))
    return responder.respond(page, to: visit, targets: targets(attempt))
  }

  /// The page for an identity that belongs to another account already.
  func takenPage(_ visit: PageVisit) -> Response {
    let texts = visit.texts
    let page = LoginRefusedPage(
      heading: texts[.takenTitle], text: texts[.takenText], backAddress: Route.loginsPage.path,
      backLabel: texts[.loginsBack])
    return responder.respond(page, to: visit, status: .conflict)
  }

  func heading(_ attempt: LoginAttempt, in texts: Texts) -> String {
    if case .add = attempt.purpose { texts[.loginsAdd] } else { texts[.phoneTitle] }
  }
}
