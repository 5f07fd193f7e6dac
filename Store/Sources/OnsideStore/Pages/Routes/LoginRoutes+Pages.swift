import HTTPTypes
import Hummingbird
import OnsideAPI
import OnsideCommerce

extension LoginRoutes {
  func numberPage(
    _ attempt: LoginAttempt, _ visit: PageVisit, _ request: Request, _ context: StoreRequestContext
  ) async throws -> Response {
    guard let account = visit.account, let number = account.phone, request.queryFields["number"] == nil else {
      return phonePage(attempt, visit, value: attempt.phone?.spaced)
    }
    if case .app(let asked) = attempt.purpose { return consentPage(asked, of: account, attempt, visit) }
    let page = ContinuePage(
      lead: visit.texts[.continueLead],
      continueLabel: visit.texts(.continueAs, ["number": number.masked.isolated]), action: path(attempt, "/continue"),
      otherAddress: path(attempt) + "?number=other", cancelAction: path(attempt, "/cancel"))
    return desk.respond(page, visit, targets: targets(attempt))
  }

  func phonePage(
    _ attempt: LoginAttempt, _ visit: PageVisit, value: String? = nil, error: String? = nil,
    status: HTTPResponse.Status = .ok
  ) -> Response {
    let app = appName(attempt)
    let page = PhonePage(
      lead: app.map { visit.texts(.phoneLeadApp, ["app": $0.isolated]) } ?? visit.texts[.phoneLead],
      hint: visit.texts(.phoneHint, ["example": PhoneExample.number(dialling(attempt)).isolated]),
      value: value ?? "", error: error, action: path(attempt), cancelAction: path(attempt, "/cancel"))
    return desk.respond(page, visit, status: status, targets: targets(attempt))
  }

  func codePage(
    _ attempt: LoginAttempt, _ visit: PageVisit, error: String? = nil, note: String? = nil,
    status: HTTPResponse.Status = .ok
  ) async throws -> Response {
    guard let phone = attempt.phone else { return desk.redirect(to: path(attempt), visit) }
    let wait = try await logins.resendWait(attempt)
    let page = CodePage(
      lead: visit.texts(.codeLead, ["number": phone.spaced.isolated]), error: error, note: note,
      resendWait: wait.map { visit.texts(.codeResendWait, ["wait": visit.texts.wait($0).isolated]) },
      action: path(attempt, "/code"), resendAction: path(attempt, "/resend"),
      changeAddress: path(attempt) + "?number=other", cancelAction: path(attempt, "/cancel"))
    return desk.respond(page, visit, status: status, targets: targets(attempt))
  }

  func regionPage(
    _ attempt: LoginAttempt, _ visit: PageVisit, error: String? = nil
  ) throws -> Response {
    guard attempt.isVerified else { return desk.redirect(to: path(attempt), visit) }
    let country = attempt.phone?.country ?? attempt.countryHint ?? defaultCountry
    let page = RegionPage(
      regions: PageOption.regions(visit.look.language, chosen: country), error: error, action: path(attempt, "/region"),
      cancelAction: path(attempt, "/cancel"))
    return desk.respond(page, visit, status: error == nil ? .ok : .unprocessableContent, targets: targets(attempt))
  }

  func appName(_ attempt: LoginAttempt) -> String? {
    guard case .app(let request) = attempt.purpose else { return nil }
    return apps.app(request.clientID)?.name ?? request.clientID
  }

  /// Where a form of these pages may lead to outside the store.
  func targets(_ attempt: LoginAttempt) -> [String] {
    guard case .app(let request) = attempt.purpose else { return [] }
    return [request.redirectURI]
  }
}
