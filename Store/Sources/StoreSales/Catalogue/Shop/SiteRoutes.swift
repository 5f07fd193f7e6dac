import HTTPTypes
import Hummingbird
import OnsideAPI
import OnsideCommerce
package import StoreAccounts
import StoreBase
package import StorePayments
import StoreWeb

extension Route {
  static let homePage = Route(.get, "/", by: .browser)
  static let asset = Route(.get, "/assets/{name}", by: .browser)
  static let logOut = Route(.post, "/logout", by: .browser)
}

/// The front page, the files of the pages, and the way out.
package struct SiteRoutes: RouteGroup {
  package let responder: PageResponder
  package let apps: AppDirectory
  package let isSandbox: Bool
  /// The scripts of the payment providers.
  package let scripts: [ProviderScript]

  package init(responder: PageResponder, apps: AppDirectory, isSandbox: Bool, scripts: [ProviderScript]) {
    self.responder = responder
    self.apps = apps
    self.isSandbox = isSandbox
    self.scripts = scripts
  }

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.asset, limits: RouteLimits(body: 0)) { _, context in try asset(context.parameters.get("name") ?? "") }
    responder.on(.homePage, in: routes) { visit, _, _ in
      let entries = apps.all.map { app in
        HomePage.Entry(name: app.name, identifier: app.id, initial: app.initial, path: app.shopPath)
      }
      return responder.respond(HomePage(apps: entries, isSandbox: isSandbox), to: visit)
    }
    responder.on(.logOut, in: routes) { visit, request, context in
      _ = try await responder.form(request, context: context, for: visit)
      if let session = visit.session {
        let (account, browser) = (visit.account?.id, visit.browserHash)
        try await responder.database.write(at: responder.clock.now()) { transaction in
          try WebSessionRecords.delete(session, in: transaction)
          if let account { try RecognizedBrowserRecords.forget(browser, of: account, in: transaction) }
        }
      }
      return responder.redirect(to: LocalPath.home.text, visit, session: "")
    }
  }

  /// The names of stylesheet and scripts change with their contents, so that a browser may keep them for a year.
  private func asset(_ name: String) throws(Problem) -> Response {
    switch name {
    case StyleSheet.current.fileName:
      return .asset(
        StyleSheet.current.text, type: "text/css; charset=utf-8", cache: "public, max-age=31536000, immutable")
    case "mark.svg": return .asset(PageParts.icon, type: "image/svg+xml", cache: "public, max-age=86400")
    default:
      guard let script = scripts.first(where: { $0.fileName == name }) else { throw .notFound }
      return .asset(
        script.text, type: "text/javascript; charset=utf-8", cache: "public, max-age=31536000, immutable")
    }
  }
}

extension Response {
  fileprivate static func asset(_ text: String, type: String, cache: String) -> Response {
    var response = bytes(text.utf8, contentType: type)
    response.headers[.cacheControl] = cache
    response.headers[.contentSecurityPolicy] = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
    return response
  }
}
