import Foundation
public import StoreBase
import StoreWeb

/// An OpenID Connect client of one provider: caches its metadata and keys, calls its token endpoint, and checks the ID
/// tokens.
actor OpenIDClient {
  nonisolated let provider: OpenIDProvider
  nonisolated let issuer: String
  private let clientID: String
  private let secret: ConfigurationSecret
  private let http: ProviderHTTP
  private let clock: any StoreClock

  /// How long the provider's metadata and keys are cached.
  private static let lifetime: Duration = .seconds(3600)
  /// The shortest time between two key fetches that an unknown key causes.
  private static let keyInterval: Duration = .seconds(60)

  private var metadata: (value: ProviderMetadata, at: Duration)?
  private var keys: (value: [ProviderKey], at: Duration)?
  private var metadataFetch: Task<Result<ProviderMetadata, OpenIDFailure>, Never>?
  private var keysFetch: Task<Result<[ProviderKey], OpenIDFailure>, Never>?

  /// Nil when a value is missing in the provider's configuration.
  init?(_ provider: OpenIDProvider, clock: any StoreClock, http: ProviderHTTP = ProviderHTTP()) {
    guard let issuer = provider.issuer, let clientID = provider.clientID, let secret = provider.clientSecret else {
      return nil
    }
    (self.provider, self.issuer, self.clientID, self.secret) = (provider, issuer, clientID, secret)
    (self.http, self.clock) = (http, clock)
  }

  /// The provider's metadata, fetched anew after an hour. Concurrent callers share one fetch.
  func discovered() async throws(OpenIDFailure) -> ProviderMetadata {
    if let metadata, clock.uptime() - metadata.at < Self.lifetime { return metadata.value }
    let (http, issuer) = (http, issuer)
    let fetch =
      metadataFetch
      ?? Task {
        await Self.result { () throws(OpenIDFailure) in
          let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
          return try ProviderMetadata(
            try await http.get(base + "/.well-known/openid-configuration"), issuer: issuer)
        }
      }
    metadataFetch = fetch
    let result = await fetch.value
    if metadataFetch == fetch {
      metadataFetch = nil
      if case .success(let value) = result { metadata = (value, clock.uptime()) }
    }
    return try result.get()
  }

  /// The URL of the authorization request that the browser opens. State, nonce and verifier bind the answer to the
  /// question.
  func authorization(_ question: OpenIDQuestion) async throws(OpenIDFailure) -> String {
    let metadata = try await discovered()
    var fields = [
      ("response_type", "code"), ("client_id", clientID), ("redirect_uri", question.redirectURI),
      ("scope", metadata.offersEmail ? "openid email" : "openid"), ("state", question.state),
      ("nonce", question.nonce), ("code_challenge", question.verifier.sha256Base64URL),
      ("code_challenge_method", "S256"), ("ui_locales", question.language.rawValue),
    ]
    if question.asksAgain { fields += [("prompt", "login"), ("max_age", String(Int(WebSession.freshness)))] }
    return metadata.authorizationEndpoint.appendingQuery(fields)
  }

  /// Whether an answer that names this issuer, or none, can be the provider's (RFC 9207).
  func isIssuer(_ named: String?) async throws(OpenIDFailure) -> Bool {
    if let named { return named == issuer }
    return try await !discovered().namesIssuer
  }

  /// Exchanges a code and returns the claims of the ID token, if all its checks pass.
  func claims(
    _ code: String, question: OpenIDQuestion, now: Date
  ) async throws(OpenIDFailure) -> IDTokenClaims {
    let text = try await exchange(code, question: question)
    let expectation = IDTokenExpectation(issuer: issuer, clientID: clientID, nonce: question.nonce, now: now)
    do {
      let token = try IDToken(text)
      do {
        return try token.claims(expectation, keys: try await published())
      } catch IDTokenFault.unknownKey {
        return try token.claims(expectation, keys: try await published(anew: true))
      }
    } catch let fault as IDTokenFault {
      throw .badToken(fault)
    } catch {
      throw error as? OpenIDFailure ?? .unreachable(error.loggedName)
    }
  }

  /// Fetches the metadata and keys, all that needs no person, for `onside doctor`.
  func check() async throws(OpenIDFailure) {
    _ = try await discovered()
    guard try await !published().isEmpty else { throw .unexpected("a key at jwks_uri that the store can use") }
  }

  private func published(anew: Bool = false) async throws(OpenIDFailure) -> [ProviderKey] {
    if let keys {
      let age = clock.uptime() - keys.at
      if age < (anew ? Self.keyInterval : Self.lifetime) { return keys.value }
    }
    let (http, address) = (http, try await discovered().keysAddress)
    let fetch =
      keysFetch
      ?? Task {
        await Self.result { () throws(OpenIDFailure) in try await ProviderKey.keys(in: try await http.get(address)) }
      }
    keysFetch = fetch
    let result = await fetch.value
    if keysFetch == fetch {
      keysFetch = nil
      if case .success(let value) = result { keys = (value, clock.uptime()) }
    }
    return try result.get()
  }

  private func exchange(_ code: String, question: OpenIDQuestion) async throws(OpenIDFailure) -> String {
    let metadata = try await discovered()
    var fields = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", question.redirectURI),
      ("code_verifier", question.verifier),
    ]
    var authorization: String?
    switch metadata.authentication {
    case .basic:
      // Both are form-encoded first (RFC 6749, section 2.3.1).
      let pair = "\(clientID.percentEncoded):\(secret.value.percentEncoded)"
      authorization = "Basic " + Data(pair.utf8).base64EncodedString()
    case .post: fields += [("client_id", clientID), ("client_secret", secret.value)]
    }
    let answer = try await http.post(metadata.tokenEndpoint, fields: fields, authorization: authorization)
    let message = try? JSONDecoder().decode(TokenAnswer.self, from: answer.body)
    guard answer.status == 200 else {
      throw .unexpected("the code to be taken, got \(answer.status) \(message?.error.map(Self.code) ?? "")")
    }
    guard let token = message?.idToken else { throw .unexpected("an id_token from the token endpoint, got none") }
    return token
  }

  private static func result<Value: Sendable>(
    _ body: @Sendable () async throws(OpenIDFailure) -> Value
  ) async -> Result<Value, OpenIDFailure> {
    do { return .success(try await body()) } catch { return .failure(error) }
  }

  /// An error code in a form that is safe to log.
  static func code(_ error: String) -> String {
    String(error.unicodeScalars.filter { $0.isASCII && ($0.properties.isAlphabetic || $0 == "_") }.prefix(64))
  }
}

extension OpenIDProvider {
  /// Fetches the provider's metadata and keys, and throws the fault in them or in the configuration.
  public func check(clock: any StoreClock) async throws {
    guard let client = OpenIDClient(self, clock: clock) else {
      throw OpenIDFailure.unexpected("issuer, client_id and client_secret of \(id)")
    }
    try await client.check()
  }
}

/// An authorization request to a provider. Nonce and verifier are derived from the state, so that none of the three is
/// stored.
struct OpenIDQuestion: Sendable {
  let state: String
  let nonce: String
  let verifier: String
  var redirectURI: String
  var language: Language
  /// Whether the provider must authenticate the person again.
  var asksAgain: Bool
}

private struct TokenAnswer: Decodable {
  var idToken: String?
  var error: String?

  enum CodingKeys: String, CodingKey {
    case idToken = "id_token"
    case error
  }
}
