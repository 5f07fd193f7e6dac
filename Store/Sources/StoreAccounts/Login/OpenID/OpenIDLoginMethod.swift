package import Hummingbird
package import Logging
package import StoreBase
package import StoreWeb

/// An OpenID provider as a login method: its link sends the browser there.
package struct OpenIDLoginMethod: LoginMethod {
  let client: OpenIDClient
  let requests: OpenIDRequests
  let responder: PageResponder
  let logger: Logger

  /// The login methods of providers.
  package static func all(
    _ providers: [OpenIDProvider], requests: OpenIDRequests, responder: PageResponder, clock: SandboxClock,
    logger: Logger
  ) -> [OpenIDLoginMethod] {
    providers.compactMap { provider in
      OpenIDClient(provider, clock: clock, http: ProviderHTTP(timeout: provider.timeout)).map { client in
        OpenIDLoginMethod(client: client, requests: requests, responder: responder, logger: logger)
      }
    }
  }

  package var id: String { client.provider.id }
  private var name: String { client.provider.name ?? client.issuer }

  package func name(_ texts: Texts) -> String { name }
  package func label(_ texts: Texts) -> String { texts(.loginMethodContinue, ["name": name.isolated]) }

  package func proves(_ identity: FederatedIdentity) -> Bool {
    identity.kind == .openID && identity.issuer == client.issuer
  }

  package func begin(_ attempt: LoginAttempt, for visit: PageVisit) async throws -> Response {
    guard let question = try await requests.begin(attempt, provider: id) else { throw PageProblem.gone }
    do {
      return responder.redirect(to: try await client.authorization(question), visit)
    } catch {
      return refuse(error, attempt: attempt, visit: visit)
    }
  }

  /// The page after the provider failed, or refused; why stands in the log.
  func refuse(_ failure: OpenIDFailure, attempt: LoginAttempt, visit: PageVisit) -> Response {
    logger.warning("login by OpenID failed", metadata: ["provider": "\(id)", "reason": "\(failure)"])
    let isRefusal = if case .refused = failure { true } else { false }
    return refuse(isRefusal ? .loginMethodRefused : .loginMethodBroken, attempt: attempt, visit: visit)
  }

  /// The page that says why the login did not lead on, and leads to the other login methods.
  func refuse(_ text: TextKey, attempt: LoginAttempt, visit: PageVisit) -> Response {
    let words = ["name": name.isolated]
    let page = LoginRefusedPage(
      heading: visit.texts(.loginMethodFailedTitle, words), text: visit.texts(text, words),
      backAddress: "/login/\(attempt.id)?number=other", backLabel: visit.texts[.loginMethodOther])
    return responder.respond(page, to: visit, status: text == .loginMethodBroken ? .badGateway : .forbidden)
  }
}
