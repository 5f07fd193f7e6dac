package import Crypto
import Foundation
import HTTPTypes
package import Hummingbird
package import OnsideAPI
import OnsideCommerce
package import StoreBase
package import StoreWeb

/// Shared services of all page routes: identifies the browser, checks forms, and answers with the pages' headers.
package struct PageResponder: Sendable {
  package let renderer: PageRenderer
  package let database: any Database
  package let clock: any StoreClock
  package let random: any RandomSource
  package let address: PublicAddress
  package let keys: VersionedKey<SymmetricKey>
  package let proxies: Proxies

  package init(
    renderer: PageRenderer, database: any Database, clock: any StoreClock, random: any RandomSource,
    address: PublicAddress, keys: VersionedKey<SymmetricKey>, proxies: Proxies
  ) {
    self.renderer = renderer
    self.database = database
    self.clock = clock
    self.random = random
    self.address = address
    self.keys = keys
    self.proxies = proxies
  }

  package var isSecure: Bool { address.url.scheme == "https" }
  private var cookies: PageCookies { PageCookies(isSecure: isSecure) }

  /// Mounts a page route; its errors are answered with pages, too.
  package func on(
    _ route: Route, in routes: StoreRoutes, admission: RouteLimits.Admission = .request,
    _ handler: @escaping @Sendable (PageVisit, Request, StoreRequestContext) async throws -> Response
  ) {
    routes.on(route, limits: RouteLimits(body: 16 * 1024, admission: admission)) { request, context in
      let visit = try await visit(request, context: context)
      do {
        return try await handler(visit, request, context)
      } catch PageProblem.earlierSession(let page?) {
        return redirect(to: page.text, visit)
      } catch let problem as PageProblem {
        return self.problem(problem, for: visit)
      }
    }
  }

  /// The answer with a page.
  ///
  /// - Parameters:
  ///   - targets: addresses outside the store that a form of the page may lead to by a redirect.
  ///   - sources: the origins of a payment provider's part of the page.
  ///   - session: the new login cookie; an empty one takes the old away.
  package func respond(
    _ page: some Page, to visit: PageVisit, status: HTTPResponse.Status = .ok, targets: [String] = [],
    sources: PageSources = PageSources(), session: String? = nil
  ) -> Response {
    var response = Response.bytes(
      renderer.html(page, look: visit.look).utf8, contentType: "text/html; charset=utf-8", status: status)
    response.headers.secure(targets: targets, sources: sources, isSecure: cookies.isSecure)
    setCookies(&response, for: visit, session: session)
    return response
  }

  func problem(_ problem: PageProblem, for visit: PageVisit) -> Response {
    let response = respond(problem.page(visit.texts), to: visit, status: problem.status)
    return problem.retryAfter.map { response.retryable(after: $0) } ?? response
  }

  /// A refusal before anything is known about the browser.
  package func problem(_ problem: PageProblem, for request: Request) -> Response {
    let visit = PageVisit(browser: "", isNewBrowser: false, session: nil, look: .of(request))
    return self.problem(problem, for: visit)
  }

  /// Sends the browser on. `session` is the new login cookie; an empty one takes the old away.
  package func redirect(to location: String, _ visit: PageVisit, session: String? = nil) -> Response {
    var response = Response(status: .seeOther, headers: [.location: location])
    response.headers.secure(targets: [], isSecure: cookies.isSecure)
    setCookies(&response, for: visit, session: session)
    return response
  }

  /// The fields of a form that this browser was given by the store itself, in the session that it has now. The page of
  /// a form of an earlier session is shown again.
  package func form(_ request: Request, context: StoreRequestContext, for visit: PageVisit) async throws -> FormFields {
    if let site = request.headers[.secFetchSite], site != "same-origin", site != "none" { throw PageProblem.form }
    let form = try await FormFields(request, context: context)
    guard !visit.isNewBrowser else { throw PageProblem.otherBrowser }
    guard let token = form.single("csrf").flatMap(Base64URL.decode),
      keys.isAny({
        HMAC<SHA256>.isValidAuthenticationCode(
          token, authenticating: Self.csrfMessage(visit.browser, session: visit.session), using: $0)
      })
    else { throw PageProblem.earlierSession(page: LocalPath(form.single("form_page"))) }
    return form
  }

  /// The device and network that request a code, for the rate limits.
  package func source(_ request: Request, context: StoreRequestContext, for visit: PageVisit) -> CodeSource {
    let client = request.clientAddress(context, proxies: proxies)
    return CodeSource(device: visit.browserHash, network: NetworkPrefix.of(client))
  }

  private func visit(_ request: Request, context: StoreRequestContext) async throws -> PageVisit {
    let known = cookies.value(.browser, of: request)
    let browser = known ?? random.token()
    let session = cookies.value(.session, of: request)
    let now = clock.now()
    var login: WebSession?
    if let session { login = try await database.read(at: now) { try WebSessionRecords.session(session, in: $0) } }
    let isStale = login.map { $0.usedAt + WebSession.grain <= now } ?? false
    let csrf = HMAC<SHA256>.authenticationCode(for: Self.csrfMessage(browser, session: session), using: keys.current)
    let visit = PageVisit(
      browser: browser, isNewBrowser: known == nil, session: session, login: login, isRenewed: isStale,
      device: DeviceName.of(request.headers[.userAgent]),
      look: PageLook.of(request, csrf: Base64URL.encode(Array(csrf)), isLoggedIn: login != nil))
    if let login, isStale { try await renew(login, for: visit) }
    return visit
  }

  /// Extends a session and the recognition of its browser.
  private func renew(_ login: WebSession, for visit: PageVisit) async throws {
    let (browser, language) = (visit.browserHash, visit.look.language)
    try await database.write(at: clock.now()) { transaction in
      guard try WebSessionRecords.touch(login.token, in: transaction) else { return }
      try RecognizedBrowserRecords.record(browser, of: login.account.id, language: language, in: transaction)
    }
  }

  private func setCookies(_ response: inout Response, for visit: PageVisit, session: String?) {
    if visit.isNewBrowser || visit.isRenewed {
      let field = cookies.field(.browser, visit.browser, lifetime: 365 * 86400)
      response.headers.append(HTTPField(name: .setCookie, value: field))
    }
    guard let session = session ?? (visit.isRenewed ? visit.session : nil) else { return }
    let lifetime = session.isEmpty ? 0 : Int(WebSessionRecords.lifetime)
    response.headers.append(HTTPField(name: .setCookie, value: cookies.field(.session, session, lifetime: lifetime)))
  }

  /// The message that a form's CSRF token authenticates: the browser and its session cookie. Therefore a token of
  /// another session, or from before the login, is refused. Both are base64url, without a colon.
  private static func csrfMessage(_ browser: String, session: String?) -> Data {
    Data("csrf:\(browser):\(session ?? "")".utf8)
  }
}

/// One request of a browser.
package struct PageVisit: Sendable {
  package let browser: String
  let isNewBrowser: Bool
  /// The browser's login cookie, good or not.
  package let session: String?
  package var login: WebSession?
  /// True when this visit keeps the login alive: the cookie then lives longer, too.
  var isRenewed = false
  /// A name of this browser that its user recognizes.
  var device: String?
  package var look: PageLook

  package var account: Account? { login?.account }
  package var browserHash: String { browser.sha256Base64URL }
  var loginBrowser: LoginBrowser { LoginBrowser(session: session, device: device) }
  package var texts: Texts { look.texts }

  /// The same visit in the language of an order, unless the address names one.
  package func speaking(_ tag: String?, unless request: Request) -> PageVisit {
    guard let tag, request.queryFields["ui_locales"] == nil else { return self }
    var visit = self
    visit.look.language = .best(of: [tag], [look.language.rawValue])
    return visit
  }

  /// The same visit in the language and colours that a login began with.
  func dressed(as attempt: LoginAttempt) -> PageVisit {
    var visit = self
    visit.look.language = attempt.language
    visit.look.theme = attempt.theme
    return visit
  }
}
