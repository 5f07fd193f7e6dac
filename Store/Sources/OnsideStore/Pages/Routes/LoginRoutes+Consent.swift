import Foundation
import HTTPTypes
import Hummingbird
import OnsideAPI
import OnsideCommerce

extension LoginRoutes {
  /// Shows somebody who is logged in already which app asks, for what, and where the answer goes.
  func consentPage(
    _ asked: AuthorizationRequest, of account: Account, _ attempt: LoginAttempt, _ visit: PageVisit
  ) -> Response {
    let texts = visit.texts
    let app = (appName(attempt) ?? asked.clientID).isolated
    let number = account.masked.isolated
    let page = ConsentPage(
      heading: texts(.consentTitle, ["app": app]), lead: texts(.consentLead, ["app": app, "number": number]),
      app: appName(attempt) ?? asked.clientID, identifier: asked.clientID, address: asked.redirectURI,
      addressNote: texts[Self.kind(of: asked.redirectURI)], purchases: texts(.consentPurchases, ["app": app]),
      account: account.id.description, continueLabel: texts(.continueAs, ["number": number]),
      action: path(attempt, "/continue"), otherAddress: path(attempt) + "?number=other",
      cancelAction: path(attempt, "/cancel"))
    return desk.respond(page, visit, targets: targets(attempt))
  }

  /// Takes the consent of the account that the page showed. Another one may have logged in meanwhile, in another tab:
  /// it is shown the page first.
  func proceed(
    _ attempt: LoginAttempt, _ visit: PageVisit, _ form: FormFields, _ source: CodeSource
  ) async throws -> Response {
    guard let account = visit.account else { return desk.redirect(to: path(attempt), visit) }
    if case .app = attempt.purpose, form.single("account") != account.id.description {
      return desk.redirect(to: path(attempt), visit)
    }
    let step = try await logins.proceed(attempt, as: account.id, in: visit.loginBrowser)
    return try await go(on: step, attempt, visit)
  }

  /// What is known of whoever receives the answer.
  private static func kind(of redirect: String) -> TextKey {
    guard let address = URLComponents(string: redirect) else { return .consentToApp }
    return switch address.scheme?.lowercased() {
    case "https": .consentToSite
    case "http": .consentToProgram
    default: .consentToApp
    }
  }
}
