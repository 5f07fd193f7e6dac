package import Hummingbird
import StoreBase
import StoreWeb

extension PageResponder {
  /// A login that leads back to a page of the store.
  package func logIn(to path: String, _ visit: PageVisit) -> Response {
    redirect(to: "/login".appendingQuery([("next", path)]), visit)
  }

  /// A login of the account that a page is of, which leads back to the page. A browser that is logged in to another
  /// account gets the page that asks for a number, not the offer to continue with that account.
  package func logInAgain(to path: String, with logins: LoginService, _ visit: PageVisit) async throws -> Response {
    let attempt = try await logins.begin(
      .web(next: path), browser: visit.browserHash, language: visit.look.language, theme: visit.look.theme)
    return redirect(to: "/login/\(attempt.id)" + (visit.account == nil ? "" : "?number=other"), visit)
  }
}
