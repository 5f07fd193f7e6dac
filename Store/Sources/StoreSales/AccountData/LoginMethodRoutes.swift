import HTTPTypes
import Hummingbird
import OnsideAPI
package import StoreAccounts
import StoreBase
import StoreWeb

extension Route {
  static let loginsProof = Route(.post, "/account/logins", by: .browser)
  static let loginsAdd = Route(.post, "/account/logins/add", by: .browser)
  static let loginsRemove = Route(.post, "/account/logins/remove", by: .browser)
}

/// The login methods of an account: lists them, adds one, removes one. Both changes ask for a proof that is
/// minutes old, and what is added is proved, too: only then does one person hold both.
package struct LoginMethodRoutes: RouteGroup {
  package let responder: PageResponder
  package let logins: LoginService
  package let accounts: AccountService
  package let methods: [any LoginMethod]

  package init(responder: PageResponder, logins: LoginService, accounts: AccountService, methods: [any LoginMethod]) {
    self.responder = responder
    self.logins = logins
    self.accounts = accounts
    self.methods = methods
  }

  static let path = Route.loginsPage.path

  func addRoutes(to routes: StoreRoutes) {
    responder.on(.loginsPage, in: routes) { visit, request, _ in
      guard let login = visit.login else { return responder.logIn(to: Self.path, visit) }
      return show(login, for: visit, notice: notice(request.queryFields, in: visit.texts))
    }
    responder.on(.loginsProof, in: routes) { visit, request, context in
      _ = try await responder.form(request, context: context, for: visit)
      return try await responder.prove(Self.path, logins: logins, visit: visit)
    }
    onProof(.loginsAdd, routes: routes) { login, _, visit in
      let attempt = try await logins.begin(
        .add(to: login.account.id), browser: visit.browserHash, language: visit.look.language, theme: visit.look.theme)
      return responder.redirect(to: "/login/\(attempt.id)", visit)
    }
    onProof(.loginsRemove, routes: routes) { login, form, visit in
      let named = form.single("identity")
      guard let proved = login.account.identities.first(where: { Self.id($0.identity) == named }) else {
        return responder.redirect(to: Self.path, visit)
      }
      let isGone = try await accounts.remove(proved, by: login, language: visit.look.language)
      guard isGone else { return show(login, for: visit, error: visit.texts[.loginsLast]) }
      return responder.redirect(to: Self.path + "?removed=1", visit)
    }
  }

  private typealias Handler = @Sendable (WebSession, FormFields, PageVisit) async throws -> Response

  private func onProof(_ route: Route, routes: StoreRoutes, handler: @escaping Handler) {
    responder.on(route, in: routes) { visit, request, context in
      let form = try await responder.form(request, context: context, for: visit)
      guard let login = visit.login else { return responder.logIn(to: Self.path, visit) }
      guard login.isFresh(responder.clock.now()) else { return responder.redirect(to: Self.path, visit) }
      return try await handler(login, form, visit)
    }
  }

  private func show(
    _ login: WebSession, for visit: PageVisit, notice: String? = nil, error: String? = nil
  ) -> Response {
    let texts = visit.texts
    let page = AccountLoginMethodsPage(
      isProved: login.isFresh(responder.clock.now()), notice: notice, error: error,
      logins: login.account.identities.map { proved in
        AccountLoginMethodsPage.Login(
          id: Self.id(proved.identity), title: texts.name(proved.identity, methods: methods), detail: proved.masked,
          since: texts(.loginsSince, ["date": texts.day(proved.provedAt, in: login.account.country)]))
      })
    return responder.respond(page, to: visit, status: error == nil ? .ok : .unprocessableContent)
  }

  private func notice(_ query: FormFields, in texts: Texts) -> String? {
    if query["added"] != nil { return texts[.loginsAdded] }
    return query["removed"] == nil ? nil : texts[.loginsRemoved]
  }

  /// Names an identity in a form without saying it.
  private static func id(_ identity: Identity) -> String { identity.text.sha256Base64URL }
}

extension PageResponder {
  /// Has a person prove anew who they are, and leads back to a page.
  func prove(_ path: String, logins: LoginService, visit: PageVisit) async throws -> Response {
    let attempt = try await logins.begin(
      .web(next: path), browser: visit.browserHash, language: visit.look.language, theme: visit.look.theme,
      isProof: true)
    return redirect(to: "/login/\(attempt.id)?number=other", visit)
  }
}
