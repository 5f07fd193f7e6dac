import Foundation
import HTTPTypes
import Hummingbird
import OnsideAPI
import OnsideCommerce
import StoreWeb

extension LoginRoutes {
  /// The consent page for a user who is already logged in: the app, the access it asks for, and the redirect address.
  func consentPage(
    _ asked: AuthorizationRequest, of account: Account, attempt: LoginAttempt, visit: PageVisit
  ) -> Response {
    let texts = visit.texts
    let app = (appName(attempt) ?? asked.clientID).isolated
    let number = account.masked.isolated
    let page = ConsentPage(
      heading: texts(.consentTitle, ["app": app]), lead: texts(.consentLead, ["app": app, "number": number]),
      app: appName(attempt) ?? asked.clientID, identifier: asked.clientID, address: asked.redirectURI,
      addressNote: texts[Self.kind(of: asked.redirectURI)], purchases: texts(.consentPurchases, ["app": app]),
      subject: Self.subject(of: account, in: asked), continueLabel: texts(.continueAs, ["number": number]),
      action: path(attempt, step: "/continue"), otherAddress: path(attempt) + "?number=other",
      cancelAction: path(attempt, step: "/cancel"))
    return responder.respond(page, to: visit, targets: targets(attempt))
  }

  /// The app that asks for a login, on the page on which its code is typed; nil for a login on the store's own pages.
  func requester(of attempt: LoginAttempt, texts: Texts) -> CodePage.Requester? {
    guard case .app(let asked) = attempt.purpose else { return nil }
    return CodePage.Requester(
      app: appName(attempt) ?? asked.clientID, identifier: asked.clientID,
      destination: texts[Self.kind(of: asked.redirectURI)], address: asked.redirectURI)
  }

  /// Accepts the consent of the account that the page showed. When another account has logged in meanwhile, in another
  /// tab, the page is shown again for that account.
  func proceed(
    _ attempt: LoginAttempt, visit: PageVisit, form: FormFields, source: CodeSource
  ) async throws -> Response {
    guard let account = visit.account else { return responder.redirect(to: path(attempt), visit) }
    if case .app(let asked) = attempt.purpose, form.single("subject") != Self.subject(of: account, in: asked) {
      return responder.redirect(to: path(attempt), visit)
    }
    let step = try await logins.proceed(attempt, as: account.id, in: visit.loginBrowser)
    return try await go(on: step, attempt: attempt, for: visit)
  }

  /// The account's pseudonym in the app, which the app may read in the page's form.
  private static func subject(of account: Account, in asked: AuthorizationRequest) -> String {
    Customer(account: account.id.description, app: asked.clientID).subject
  }

  /// The page's words for the kind of program behind a redirect address: a site, a local program or an app.
  private static func kind(of redirect: String) -> TextKey {
    guard let address = URLComponents(string: redirect) else { return .consentToApp }
    return switch address.scheme?.lowercased() {
    case "https": .consentToSite
    case "http": .consentToProgram
    default: .consentToApp
    }
  }
}
