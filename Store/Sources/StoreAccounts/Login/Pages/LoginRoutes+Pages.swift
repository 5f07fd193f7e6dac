import HTTPTypes
import Hummingbird
import OnsideAPI
import OnsideCommerce
import StoreWeb

extension LoginRoutes {
  func numberPage(
    _ attempt: LoginAttempt, visit: PageVisit, request: Request, context: StoreRequestContext
  ) async throws -> Response {
    guard let account = visit.account, request.queryFields["number"] == nil else {
      return contactPage(attempt, visit: visit, request: request)
    }
    switch attempt.purpose {
    case .app(let asked): return consentPage(asked, of: account, attempt: attempt, visit: visit)
    case .add: return contactPage(attempt, visit: visit, request: request)
    case .web: break
    }
    let page = ContinuePage(
      lead: visit.texts[.continueLead],
      continueLabel: visit.texts(.continueAs, ["number": account.masked.isolated]),
      action: path(attempt, step: "/continue"),
      otherAddress: path(attempt) + "?number=other", cancelAction: path(attempt, step: "/cancel"))
    return responder.respond(page, to: visit, targets: targets(attempt))
  }

  /// The page that asks for a phone number or an e-mail address. The link's `with` decides, else the contact that the
  /// login has already, else the store's methods: a phone number where there is a sender for it.
  private func contactPage(_ attempt: LoginAttempt, visit: PageVisit, request: Request) -> Response {
    switch (request.queryFields["with"], attempt.contact) {
    case ("email", .email(let email)), (nil, .email(let email)): emailPage(attempt, for: visit, value: email.text)
    case ("phone", .phone(let phone)), (nil, .phone(let phone)): phonePage(attempt, for: visit, value: phone.spaced)
    case ("email", _): emailPage(attempt, for: visit)
    case ("phone", _): phonePage(attempt, for: visit)
    default: channels.contains(.phone) ? phonePage(attempt, for: visit) : emailPage(attempt, for: visit)
    }
  }

  func phonePage(
    _ attempt: LoginAttempt, for visit: PageVisit, region: CountryCode? = nil, value: String? = nil,
    error: String? = nil, status: HTTPResponse.Status = .ok
  ) -> Response {
    guard channels.contains(.phone) else { return emailPage(attempt, for: visit) }
    let app = appName(attempt)
    let region = region ?? self.region(attempt)
    let page = PhonePage(
      heading: heading(attempt, in: visit.texts),
      lead: app.map { visit.texts(.phoneLeadApp, ["app": $0.isolated]) } ?? visit.texts[.phoneLead],
      hint: visit.texts(.phoneHint, ["example": PhoneExample.number(region).isolated]),
      regions: PageOption.diallingCodes(visit.look.language, chosen: region),
      value: value ?? "", error: error, action: path(attempt),
      links: links(attempt, in: visit.texts, but: .phone), cancelAction: path(attempt, step: "/cancel"))
    return responder.respond(page, to: visit, status: status, targets: targets(attempt))
  }

  func emailPage(
    _ attempt: LoginAttempt, for visit: PageVisit, value: String? = nil, error: String? = nil,
    status: HTTPResponse.Status = .ok
  ) -> Response {
    guard channels.contains(.email) else { return methodsPage(attempt, for: visit) }
    let app = appName(attempt)
    let page = EmailPage(
      heading: heading(attempt, in: visit.texts),
      lead: app.map { visit.texts(.emailLeadApp, ["app": $0.isolated]) } ?? visit.texts[.emailLead],
      value: value ?? "", error: error, action: path(attempt),
      links: links(attempt, in: visit.texts, but: .email), cancelAction: path(attempt, step: "/cancel"))
    return responder.respond(page, to: visit, status: status, targets: targets(attempt))
  }

  func codePage(
    _ attempt: LoginAttempt, for visit: PageVisit, error: String? = nil, note: String? = nil,
    resendLimit: CodeLimitReached? = nil, status: HTTPResponse.Status = .ok
  ) async throws -> Response {
    guard let contact = attempt.contact else { return responder.redirect(to: path(attempt), visit) }
    let wait = if let resendLimit { resendLimit.seconds } else { try await logins.resendWait(attempt) }
    let page = CodePage(
      lead: visit.texts(.codeLead, ["number": contact.spaced.isolated]),
      requester: requester(of: attempt, texts: visit.texts), error: error, note: note,
      wait: wait.map { seconds in
        CodePage.Wait(
          text: visit.texts(.codeResendWait, ["wait": visit.texts.wait(seconds).isolated]),
          style: StyleRules.waitClass(seconds))
      },
      resendError: resendLimit.map { visit.texts.describe($0) }, action: path(attempt, step: "/code"),
      resendAction: path(attempt, step: "/resend"),
      changeAddress: path(attempt) + "?number=other",
      changeLabel: visit.texts[contact.isEmail ? .emailChange : .codeChange])
    return responder.respond(page, to: visit, status: status, targets: targets(attempt))
  }

  func regionPage(
    _ attempt: LoginAttempt, for visit: PageVisit, error: String? = nil
  ) throws -> Response {
    guard attempt.isVerified else { return responder.redirect(to: path(attempt), visit) }
    let country = attempt.contact?.country ?? attempt.countryHint ?? defaultCountry
    let page = RegionPage(
      lead: visit.texts[attempt.contact?.country == nil ? .emailRegionLead : .regionLead],
      regions: PageOption.regions(visit.look.language, chosen: country), error: error,
      action: path(attempt, step: "/region"),
      cancelAction: path(attempt, step: "/cancel"))
    return responder.respond(
      page, to: visit, status: error == nil ? .ok : .unprocessableContent, targets: targets(attempt))
  }

  func appName(_ attempt: LoginAttempt) -> String? {
    guard case .app(let request) = attempt.purpose else { return nil }
    return apps.app(request.clientID)?.name ?? request.clientID
  }

  /// The addresses outside the store to which a form of these pages may redirect.
  func targets(_ attempt: LoginAttempt) -> [String] {
    guard case .app(let request) = attempt.purpose else { return back(attempt)?.targets ?? [] }
    return [request.redirectURI]
  }

  /// The way back into the app that has opened the page behind a login; nil for a page of the store's own.
  func back(_ attempt: LoginAttempt) -> PageReturn? {
    guard case .web(let next) = attempt.purpose, let query = next.split(separator: "?", maxSplits: 1).dropFirst().first
    else { return nil }
    let fields = FormFields(String(query))
    return try? PageReturn(fields, app: fields.single("app").flatMap { apps.app($0) })
  }
}
