import Foundation
import HTTPTypes
import Hummingbird
import OnsideAPI
package import StoreAccounts
import StoreBase
import StoreWeb

extension Route {
  static let landingPage = Route(.get, "/a/{app}", by: .browser)
  static let landingInstall = Route(.post, "/a/{app}/install", by: .browser)
}

/// The landing page of an app: it writes down the visit, and hands its token to the installation.
///
/// Only a page that a user opens counts: neither a browser's prefetch nor a `HEAD` request. All links and redirects
/// lead to the app's registered address.
package struct LandingRoutes: RouteGroup {
  private let responder: PageResponder
  private let apps: AppDirectory
  private let attribution: AttributionService
  /// Visits of one network that are kept; beyond it the page is shown all the same.
  private let limiter = RateLimiter(RateLimit(perSecond: 2, burst: 120))
  /// A longer address is kept without its query.
  private static let addressLimit = 4096

  package init(responder: PageResponder, apps: AppDirectory, attribution: AttributionService) {
    self.responder = responder
    self.apps = apps
    self.attribution = attribution
  }

  func addRoutes(to routes: StoreRoutes) {
    responder.on(.landingPage, in: routes) { visit, request, context in
      let app = try app(context)
      let cookie = visitor(request)
      let name = try await remember(request, context: context, app: app, cookie: cookie)
      var response = responder.respond(
        page(app, name: name, visit: visit), to: visit, targets: app.installAddress.map { [$0] } ?? [])
      response.headers.append(cookie.field(isSecure: responder.isSecure))
      return response
    }
    responder.on(.landingInstall, in: routes) { visit, request, context in
      let app = try app(context)
      let form = try await responder.form(request, context: context, for: visit)
      guard let address = app.installAddress else { throw PageProblem.notFound }
      let token = try await attribution.tapped(
        visit: form.single("visit") ?? "", visitor: visitor(request).token.lowercase, app: app.id)
      return responder.redirect(to: address.appendingQuery(token.map { [("claim", $0)] } ?? []), visit)
    }
  }

  private func app(_ context: StoreRequestContext) throws(PageProblem) -> App {
    guard let id = context.parameters.get("app"), let app = apps.app(id) else { throw .notFound }
    return app
  }

  private func visitor(_ request: Request) -> VisitorCookie {
    let now = responder.clock.now()
    return VisitorCookie(request, now: now)
      ?? VisitorCookie(token: responder.random.uuid7(at: now), createdAt: now.millisecondsSince1970)
  }

  /// Notes the visit; answers its name, which is empty when it does not count.
  private func remember(
    _ request: Request, context: StoreRequestContext, app: App, cookie: VisitorCookie
  ) async throws -> String {
    let client = request.clientAddress(context, proxies: responder.proxies)
    let isAhead = request.headers[.secPurpose]?.contains("prefetch") == true
    guard request.method == .get, !isAhead,
      limiter.take(NetworkPrefix.of(client), uptime: responder.clock.uptime()) == nil
    else { return "" }
    let fields = request.queryFields
    func short(_ text: String?) -> String? { text.map { String($0.prefix(512)) } }
    return try await attribution.visited(
      AttributionVisit(
        id: "", appID: app.id, visitor: cookie.token.lowercase, address: address(request),
        referrer: short(request.headers[.referer]), gclid: short(fields["gclid"]), gbraid: short(fields["gbraid"]),
        wbraid: short(fields["wbraid"]), visitedAt: responder.clock.now()),
      from: AttributionService.Origin(client: client, device: DeviceClass(userAgent: request.headers[.userAgent])))
  }

  private func address(_ request: Request) -> String {
    let whole = responder.address.url.absoluteString + request.uri.string
    return whole.utf8.count <= Self.addressLimit ? whole : String(whole.prefix { $0 != "?" })
  }

  private func page(_ app: App, name: String, visit: PageVisit) -> LandingPage {
    let words = ["app": app.name]
    let texts = visit.texts
    return LandingPage(
      appInitial: app.initial, heading: texts(.landTitle, words), lead: texts(.landLead, words),
      installLabel: texts(.landInstall, words), next: texts(.landNext, words), note: texts(.landNote, words),
      action: app.installAddress.map { _ in "/a/\(app.id.percentEncoded)/install" }, visit: name,
      shopPath: app.shopPath)
  }
}

extension HTTPField.Name {
  fileprivate static let secPurpose = Self("Sec-Purpose")!
}
