import HTTPTypes
import Hummingbird
import OnsideAPI
import OnsideCommerce
import StoreWeb

extension LoginRoutes {
  func takeNumber(
    _ attempt: LoginAttempt, visit: PageVisit, form: FormFields, source: CodeSource
  ) async throws -> Response {
    if let typed = form["email"] {
      return try await takeAddress(attempt, visit: visit, typed: String(typed.prefix(320)), source: source)
    }
    let typed = String((form["phone"] ?? "").prefix(64))
    let region = form["country"].flatMap(CountryCode.init(alpha2:)) ?? region(attempt)
    let phone: PhoneNumber
    do {
      phone = try PhoneNumber(parsing: typed, region: region)
    } catch {
      let text = visit.texts.describe(error, example: PhoneExample.number(region).isolated)
      return phonePage(
        attempt, for: visit, region: region, value: typed, error: text, status: .unprocessableContent)
    }
    guard channels.contains(.phone) else { return emailPage(attempt, for: visit) }
    return try await send(attempt, to: .phone(phone), visit: visit, source: source) {
      phonePage(attempt, for: visit, region: region, value: typed, error: $0, status: .tooManyRequests)
    }
  }

  private func takeAddress(
    _ attempt: LoginAttempt, visit: PageVisit, typed: String, source: CodeSource
  ) async throws -> Response {
    let email: EmailAddress
    do {
      email = try EmailAddress(parsing: typed)
    } catch {
      return emailPage(
        attempt, for: visit, value: typed, error: visit.texts.describe(error), status: .unprocessableContent)
    }
    guard channels.contains(.email) else { return phonePage(attempt, for: visit) }
    return try await send(attempt, to: .email(email), visit: visit, source: source) {
      emailPage(attempt, for: visit, value: typed, error: $0, status: .tooManyRequests)
    }
  }

  private func send(
    _ attempt: LoginAttempt, to contact: Contact, visit: PageVisit, source: CodeSource, refused: (String) -> Response
  ) async throws -> Response {
    switch try await logins.sendCode(attempt, to: contact, source: source) {
    case .sent, .repeated: responder.redirect(to: path(attempt, step: "/code"), visit)
    case .limited(let limit): refused(visit.texts.describe(limit)).retryable(after: limit.seconds)
    }
  }

  func takeCode(
    _ attempt: LoginAttempt, visit: PageVisit, form: FormFields, source: CodeSource
  ) async throws -> Response {
    guard let typed = OneTimeCodeGenerator.digits(in: String((form["code"] ?? "").prefix(32))) else {
      return try await codePage(attempt, for: visit, error: visit.texts[.codeMalformed], status: .unprocessableContent)
    }
    return try await go(
      on: try await logins.enter(typed, for: attempt, in: visit.loginBrowser), attempt: attempt, for: visit)
  }

  func resend(
    _ attempt: LoginAttempt, visit: PageVisit, form: FormFields, source: CodeSource
  ) async throws -> Response {
    guard let contact = attempt.contact else { return responder.redirect(to: path(attempt), visit) }
    switch try await logins.sendCode(attempt, to: contact, source: source, isResend: true) {
    case .sent, .repeated: return try await codePage(attempt, for: visit, note: visit.texts[.codeSentAgain])
    case .limited(let limit):
      return try await codePage(attempt, for: visit, resendLimit: limit, status: .tooManyRequests)
        .retryable(after: limit.seconds)
    }
  }

  func takeRegion(
    _ attempt: LoginAttempt, visit: PageVisit, form: FormFields, source: CodeSource
  ) async throws -> Response {
    guard let country = form["country"].flatMap(CountryCode.init(alpha2:)) else {
      return try regionPage(attempt, for: visit, error: visit.texts[.regionUnknown])
    }
    let step = try await logins.signUp(attempt, country: country, in: visit.loginBrowser)
    return try await go(on: step, attempt: attempt, for: visit)
  }

  func cancel(
    _ attempt: LoginAttempt, visit: PageVisit, form: FormFields, source: CodeSource
  ) async throws -> Response {
    guard try await logins.cancel(attempt) else { throw PageProblem.gone }
    guard case .app(let request) = attempt.purpose else {
      return responder.redirect(to: pageAfterCancel(of: attempt), visit)
    }
    let answer = AuthorizationAnswer(
      redirectURI: request.redirectURI, state: request.state, error: "access_denied",
      description: "The person did not log in, or did not agree.")
    return responder.redirect(to: answer.location(issuer: responder.address.issuer), visit)
  }

  /// The page after a cancelled login of the store's own pages: that of an order has a way back of its own.
  private func pageAfterCancel(of attempt: LoginAttempt) -> String {
    switch attempt.purpose {
    case .add: Route.loginsPage.path
    case .web(let next) where next.hasPrefix("/pay/"): next
    case .web, .app: back(attempt)?.location ?? LocalPath.home.text
    }
  }

  func go(on step: LoginService.Step, attempt: LoginAttempt, for visit: PageVisit) async throws -> Response {
    switch step {
    case .over: throw PageProblem.gone
    case .loggedOut:
      if case .add = attempt.purpose { return responder.redirect(to: Route.loginsPage.path, visit) }
      return responder.redirect(to: path(attempt), visit)
    case .added: return responder.redirect(to: Route.loginsPage.path + "?added=1", visit)
    case .taken: return takenPage(visit)
    case .choice: return responder.redirect(to: path(attempt, step: "/account"), visit)
    case .region: return responder.redirect(to: path(attempt, step: "/region"), visit)
    case .code(.limited(let limit)):
      return try await codePage(attempt, for: visit, error: visit.texts.describe(limit), status: .tooManyRequests)
        .retryable(after: limit.seconds)
    case .code(let outcome):
      let key: TextKey =
        switch outcome {
        case .expired: .codeExpired
        case .spent: .codeSpent
        default: .codeWrong
        }
      return try await codePage(attempt, for: visit, error: visit.texts[key], status: .unprocessableContent)
    case .done(let completion):
      return responder.redirect(to: location(completion.answer), visit, session: completion.webSession)
    }
  }

  private func location(_ answer: LoginCompletion.Answer) -> String {
    switch answer {
    case .page(let path): path
    case .code(let code, let request):
      AuthorizationAnswer(redirectURI: request.redirectURI, state: request.state, code: code)
        .location(issuer: responder.address.issuer)
    }
  }
}
