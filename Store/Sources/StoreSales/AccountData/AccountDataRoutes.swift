import HTTPTypes
import Hummingbird
import OnsideAPI
package import StoreAccounts
import StoreBase
import StoreWeb

extension Route {
  static let accountDataPage = Route(.get, "/account/data", by: .browser)
  static let accountProof = Route(.post, "/account/data", by: .browser)
  static let accountExport = Route(.post, "/account/export", by: .browser)
  static let accountDelete = Route(.post, "/account/delete", by: .browser)
}

/// All data of an account, as a file, and its deletion. Both ask for a proof that is minutes old: a browser that was
/// left open must not do.
package struct AccountDataRoutes: RouteGroup {
  package let responder: PageResponder
  package let logins: LoginService
  package let accounts: AccountService
  package let export: AccountExport

  package init(responder: PageResponder, logins: LoginService, accounts: AccountService, export: AccountExport) {
    self.responder = responder
    self.logins = logins
    self.accounts = accounts
    self.export = export
  }

  private static let path = "/account/data"

  func addRoutes(to routes: StoreRoutes) {
    responder.on(.accountDataPage, in: routes) { visit, _, _ in
      guard let login = visit.login else { return responder.logIn(to: Self.path, visit) }
      return responder.respond(AccountDataPage(isProved: isFresh(login)), to: visit)
    }
    responder.on(.accountProof, in: routes) { visit, request, context in
      _ = try await responder.form(request, context: context, for: visit)
      return try await responder.prove(Self.path, logins: logins, visit: visit)
    }
    onProof(.accountExport, routes: routes) { login, _, _ in
      let document = try await export.document(of: login.account.id)
      var response = Response.bytes(document, contentType: "application/json")
      response.headers[.contentDisposition] = #"attachment; filename="onside-account.json""#
      return response
    }
    onProof(.accountDelete, routes: routes) { login, form, visit in
      guard form.single("agreed") == "yes" else {
        let page = AccountDataPage(isProved: true, error: visit.texts[.deleteUnticked])
        return responder.respond(page, to: visit, status: .unprocessableContent)
      }
      try await accounts.remove(login.account.id)
      var gone = visit
      gone.login = nil
      gone.look.isLoggedIn = false
      return responder.respond(AccountDeletedPage(), to: gone, session: "")
    }
  }

  private typealias Handler = @Sendable (WebSession, FormFields, PageVisit) async throws -> Response

  private func onProof(_ route: Route, routes: StoreRoutes, handler: @escaping Handler) {
    responder.on(route, in: routes) { visit, request, context in
      let form = try await responder.form(request, context: context, for: visit)
      guard let login = visit.login else { return responder.logIn(to: Self.path, visit) }
      guard isFresh(login) else { return responder.redirect(to: Self.path, visit) }
      return try await handler(login, form, visit)
    }
  }

  private func isFresh(_ login: WebSession) -> Bool { login.isFresh(responder.clock.now()) }
}
