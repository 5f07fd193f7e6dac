import Hummingbird
import OnsideAPI
import OnsideCommerce
import StoreBase
import StoreWeb

/// The page for a phone number that opens several accounts.
extension LoginRoutes {
  func choicePage(_ attempt: LoginAttempt, for visit: PageVisit) async throws -> Response {
    let accounts = try await logins.choices(attempt)
    guard !accounts.isEmpty else { return responder.redirect(to: path(attempt), visit) }
    let (texts, language) = (visit.texts, visit.look.language.rawValue)
    let page = AccountChoicePage(
      action: path(attempt, step: "/account"),
      accounts: accounts.map { account in
        AccountChoicePage.Choice(
          id: Self.id(account),
          title: texts(
            .choiceAccount,
            [
              "region": account.country.localizedName(language: language),
              "date": texts.day(account.createdAt, in: account.country),
            ]),
          detail: account.identities.map(\.masked.isolated).joined(separator: ", "))
      }, cancelAction: path(attempt, step: "/cancel"))
    return responder.respond(page, to: visit, targets: targets(attempt))
  }

  func takeChoice(
    _ attempt: LoginAttempt, visit: PageVisit, form: FormFields, source: CodeSource
  ) async throws -> Response {
    let account = try await logins.choices(attempt).first { Self.id($0) == form.single("account") }
    guard let account else { return try await choicePage(attempt, for: visit) }
    let step = try await logins.choose(account.id, for: attempt, in: visit.loginBrowser)
    return try await go(on: step, attempt: attempt, for: visit)
  }

  /// Names an account in a form without its id.
  private static func id(_ account: Account) -> String { account.id.description.sha256Base64URL }
}
