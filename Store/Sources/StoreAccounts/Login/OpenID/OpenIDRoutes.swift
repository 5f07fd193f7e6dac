import Foundation
import Hummingbird
import OnsideAPI
package import StoreBase
import StoreWeb

extension Route {
  static let openIDCallback = Route(.get, "/openid/{provider}/callback", by: .browser)
}

/// The callback routes of the OpenID providers. Each provider has a redirect URI of its own, against mix-up attacks
/// (RFC 9700, section 4.4).
package struct OpenIDRoutes: RouteGroup {
  package let login: LoginRoutes
  package let providers: [OpenIDLoginMethod]
  package let clock: SandboxClock

  package init(login: LoginRoutes, providers: [OpenIDLoginMethod], clock: SandboxClock) {
    self.login = login
    self.providers = providers
    self.clock = clock
  }

  func addRoutes(to routes: StoreRoutes) {
    login.responder.on(.openIDCallback, in: routes) { visit, request, context in
      let id = context.parameters.get("provider")
      guard let method = providers.first(where: { $0.id == id }) else { throw PageProblem.notFound }
      return try await takeAnswer(request.queryFields, from: method, for: visit)
    }
  }

  private func takeAnswer(_ answer: FormFields, from method: OpenIDLoginMethod, for visit: PageVisit) async throws
    -> Response
  {
    guard !answer.hasRepetition, let state = answer.single("state"),
      let id = try await method.requests.attemptID(state, provider: method.id)
    else { throw PageProblem.gone }
    // An answer in another browser is refused before the state is used up.
    let attempt = try await login.attempt(id, for: visit)
    let visit = visit.dressed(as: attempt)
    guard let question = try await method.requests.take(state, of: attempt, provider: method.id) else {
      throw PageProblem.gone
    }
    do {
      let claims = try await claims(answer, question: question, method: method)
      return try await take(claims, from: method, attempt: attempt, visit: visit)
    } catch let failure as OpenIDFailure {
      return method.refuse(failure, attempt: attempt, visit: visit)
    }
  }

  private func claims(
    _ answer: FormFields, question: OpenIDQuestion, method: OpenIDLoginMethod
  ) async throws(OpenIDFailure) -> IDTokenClaims {
    guard try await method.client.isIssuer(answer.single("iss")) else {
      throw .unexpected("an answer in the name of \(method.client.issuer)")
    }
    if let error = answer.single("error") { throw .refused(OpenIDClient.code(error)) }
    guard let code = answer.single("code") else { throw .unexpected("a code or an error, got neither") }
    return try await method.client.claims(code, question: question, now: clock.unmovedNow())
  }

  private func take(
    _ claims: IDTokenClaims, from method: OpenIDLoginMethod, attempt: LoginAttempt, visit: PageVisit
  ) async throws -> Response {
    let identity = FederatedIdentity(kind: .openID, issuer: method.client.issuer, subject: claims.subject)
    guard let identity else { throw OpenIDFailure.badToken(.subject) }
    let age = min(age(claims, for: attempt), Self.longestAge)
    if attempt.isProof, age > WebSession.freshness + IDTokenExpectation.leeway {
      return method.refuse(.loginMethodStale, attempt: attempt, visit: visit)
    }
    let proved = ProvedIdentity(
      identity: .federated(identity), label: claims.label, provedAt: clock.now().addingTimeInterval(-age))
    return try await login.take(proved, attempt: attempt, visit: visit)
  }

  /// An older proof counts as this old, in seconds: the absolute lifetime of the session begins with it.
  private static let longestAge: TimeInterval = 86_400

  /// Seconds since the provider authenticated the person. Without the claim `auth_time`, a requested fresh login counts
  /// as done just now; otherwise the provider may have recognised the browser, which is no new proof.
  private func age(_ claims: IDTokenClaims, for attempt: LoginAttempt) -> TimeInterval {
    guard let asked = claims.authenticatedAt else { return attempt.isProof ? 0 : WebSession.freshness }
    return max(0, clock.unmovedNow().timeIntervalSince1970 - asked)
  }
}
