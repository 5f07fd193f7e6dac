import HTTPTypes
import Hummingbird
package import OnsideAPI
package import OnsideCommerce
import StoreBase
package import StoreWeb

extension Route {
  package static let loginsPage = Route(.get, "/account/logins", by: .browser)
  static let webLogin = Route(.get, "/login", by: .browser)
  static let loginPage = Route(.get, "/login/{attempt}", by: .browser)
  static let loginNumber = Route(.post, "/login/{attempt}", by: .browser)
  static let loginContinue = Route(.post, "/login/{attempt}/continue", by: .browser)
  static let loginCodePage = Route(.get, "/login/{attempt}/code", by: .browser)
  static let loginCode = Route(.post, "/login/{attempt}/code", by: .browser)
  static let loginResend = Route(.post, "/login/{attempt}/resend", by: .browser)
  static let loginRegionPage = Route(.get, "/login/{attempt}/region", by: .browser)
  static let loginRegion = Route(.post, "/login/{attempt}/region", by: .browser)
  static let loginChoicePage = Route(.get, "/login/{attempt}/account", by: .browser)
  static let loginChoice = Route(.post, "/login/{attempt}/account", by: .browser)
  static let loginMethod = Route(.get, "/login/{attempt}/with/{method}", by: .browser)
  static let loginCancel = Route(.post, "/login/{attempt}/cancel", by: .browser)
}

/// The pages of a login, for apps and for the store's own pages.
package struct LoginRoutes: RouteGroup {
  package let responder: PageResponder
  package let logins: LoginService
  package let apps: AppDirectory
  package let defaultCountry: CountryCode
  /// The channels of codes that have a sender.
  package let channels: CodeChannels
  /// The login methods beside codes.
  package let methods: [any LoginMethod]
  /// Logins that are begun by opening a page: each is a row in the database.
  package let limiter: RateLimiter

  package init(
    responder: PageResponder, logins: LoginService, apps: AppDirectory, defaultCountry: CountryCode,
    channels: CodeChannels, methods: [any LoginMethod], limiter: RateLimiter
  ) {
    self.responder = responder
    self.logins = logins
    self.apps = apps
    self.defaultCountry = defaultCountry
    self.channels = channels
    self.methods = methods
    self.limiter = limiter
  }

  package func addRoutes(to routes: StoreRoutes) {
    responder.on(.authorize, in: routes, authorize)
    responder.on(.webLogin, in: routes, beginWebLogin)
    onAttempt(.loginPage, routes: routes, handler: numberPage)
    onAttempt(.loginCodePage, routes: routes) { attempt, visit, _, _ in try await codePage(attempt, for: visit) }
    onAttempt(.loginRegionPage, routes: routes) { attempt, visit, _, _ in try regionPage(attempt, for: visit) }
    onAttempt(.loginChoicePage, routes: routes) { attempt, visit, _, _ in try await choicePage(attempt, for: visit) }
    onAttempt(.loginMethod, routes: routes, handler: beginMethod)
    onForm(.loginNumber, routes: routes, handler: takeNumber)
    onForm(.loginContinue, routes: routes, handler: proceed)
    onForm(.loginCode, routes: routes, handler: takeCode)
    onForm(.loginResend, routes: routes, handler: resend)
    onForm(.loginRegion, routes: routes, handler: takeRegion)
    onForm(.loginChoice, routes: routes, handler: takeChoice)
    onForm(.loginCancel, routes: routes, handler: cancel)
  }

  private func authorize(
    _ visit: PageVisit, request: Request, context: StoreRequestContext
  ) async throws -> Response {
    let query = request.queryFields
    let client = request.clientAddress(context, proxies: responder.proxies)
    let asked: AuthorizationRequest
    do {
      asked = try AuthorizationRequest.parse(query) { apps.app($0) }
    } catch {
      switch error {
      case .unknownClient: throw PageProblem.unknownClient
      case .unknownRedirect: throw PageProblem.unknownRedirect
      case .answer(let answer):
        return responder.redirect(to: answer.location(issuer: responder.address.issuer), visit)
      }
    }
    return try await begin(
      .app(asked), visit: visit, client: client, countryHint: query["country_hint"].flatMap(CountryCode.init(hint:)),
      isLocal: query["login_methods"] == "local")
  }

  private func beginWebLogin(
    _ visit: PageVisit, request: Request, context: StoreRequestContext
  ) async throws -> Response {
    let next = LocalPath(request.queryFields["next"]) ?? .home
    if visit.account != nil { return responder.redirect(to: next.text, visit) }
    let client = request.clientAddress(context, proxies: responder.proxies)
    return try await begin(.web(next: next.text), visit: visit, client: client, countryHint: nil)
  }

  private func begin(
    _ purpose: LoginAttempt.Purpose, visit: PageVisit, client: String, countryHint: CountryCode?, isLocal: Bool = false
  ) async throws -> Response {
    if let seconds = limiter.take(NetworkPrefix.ofCaller(client), uptime: responder.clock.uptime()) {
      throw PageProblem.wait(seconds: seconds)
    }
    let attempt = try await logins.begin(
      purpose, browser: visit.browserHash, language: visit.look.language, theme: visit.look.theme,
      countryHint: countryHint, isLocal: isLocal)
    return responder.redirect(to: path(attempt), visit)
  }

  // MARK: Help

  typealias AttemptHandler = @Sendable (LoginAttempt, PageVisit, Request, StoreRequestContext) async throws -> Response
  typealias FormHandler = @Sendable (LoginAttempt, PageVisit, FormFields, CodeSource) async throws -> Response

  func onAttempt(_ route: Route, routes: StoreRoutes, handler: @escaping AttemptHandler) {
    responder.on(route, in: routes) { visit, request, context in
      let attempt = try await attempt(context.parameters.get("attempt") ?? "", for: visit)
      return try await handler(attempt, visit.dressed(as: attempt), request, context)
    }
  }

  private func onForm(_ route: Route, routes: StoreRoutes, handler: @escaping FormHandler) {
    onAttempt(route, routes: routes) { attempt, visit, request, context in
      let form = try await responder.form(request, context: context, for: visit)
      return try await handler(attempt, visit, form, responder.source(request, context: context, for: visit))
    }
  }

  func path(_ attempt: LoginAttempt, step: String = "") -> String { "/login/\(attempt.id)\(step)" }

  /// The region of a phone number without a country code, unless the person chooses another one.
  func region(_ attempt: LoginAttempt) -> CountryCode {
    attempt.contact?.country ?? attempt.countryHint ?? defaultCountry
  }
}
