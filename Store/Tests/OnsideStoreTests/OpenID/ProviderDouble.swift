import Crypto
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import OnsideAPI
import StoreBaseTestSupport
import StoreTestSupport
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreWeb

/// A provider on a free port that does what a test says: it signs with ES256 and keeps what it was asked.
final class ProviderDouble: Sendable {
  struct State {
    var keys: [(kid: String, key: P256.Signing.PrivateKey)] = [("first", P256.Signing.PrivateKey())]
    /// Changes of the documents; nil takes a name away.
    var metadata: [String: any Sendable] = [:]
    var header: [String: any Sendable] = [:]
    var claims: [String: any Sendable] = [:]
    /// Answers in place of the provider's, by path.
    var answers: [String: Response] = [:]
    var delays: [String: Duration] = [:]
    var tokenRequests: [(authorization: String?, form: FormFields)] = []
    var asked: [String: Int] = [:]
    /// The questions that a code was given for.
    var codes: [String: FormFields] = [:]
  }

  /// The store's clock as well: a busy machine's time is not in the tokens.
  let clock = ManualClock()
  let state = Mutex(State())
  let port = Mutex(0)
  var issuer: String { "http://127.0.0.1:\(port.withLock { $0 })" }

  /// Runs a provider while `body` does.
  static func run(_ body: @escaping @Sendable (ProviderDouble) async throws -> Void) async throws {
    let provider = ProviderDouble()
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      router: provider.router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in
        listening.yield(channel.localAddress?.port ?? 0)
        listening.finish()
      }, logger: Logger(label: "provider", factory: { _ in SwiftLogNoOpLogHandler() }))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await application.run() }
      for await port in ports {
        provider.port.withLock { $0 = port }
        try await body(provider)
      }
      tasks.cancelAll()
      try? await tasks.waitForAll()
    }
  }

  /// This provider as a store is told of it.
  func configuration(id: String = "example", name: String = "Example ID") -> OpenIDProvider {
    guard var provider = OpenIDProvider(id: id) else { preconditionFailure("\(id) is no id") }
    provider.name = name
    provider.issuer = issuer
    provider.clientID = "store"
    provider.clientSecret = ConfigurationSecret("s3cret/+&: ü")
    provider.timeout = .seconds(600)
    return provider
  }

  /// What the browser brings back from the address that the store sent it to.
  func answer(to address: String, _ changes: [String: String?] = [:], code: String = UUID().uuidString) -> String {
    let question = FormFields(String(address.split(separator: "?", maxSplits: 1).last ?? ""))
    state.withLock { $0.codes[code] = question }
    var fields: [String: String?] = ["code": code, "state": question["state"], "iss": issuer]
    fields.merge(changes) { $1 }
    let redirect = question["redirect_uri"].flatMap { URL(string: $0) }
    return (redirect?.path() ?? "").appendingQuery(
      fields.sorted { $0.key < $1.key }.compactMap { name, value in value.map { (name, $0) } })
  }

  private var router: Router<BasicRequestContext> {
    let router = Router()
    router.get("/.well-known/openid-configuration") { [self] _, _ in
      try await answer("configuration") {
        var document: [String: any Sendable] = [
          "issuer": issuer, "authorization_endpoint": issuer + "/authorize?tenant=1",
          "token_endpoint": issuer + "/token",
          "jwks_uri": issuer + "/jwks", "response_types_supported": ["code"], "scopes_supported": ["openid", "email"],
          "id_token_signing_alg_values_supported": ["ES256"], "code_challenge_methods_supported": ["S256"],
          "authorization_response_iss_parameter_supported": true,
        ]
        document.merge(state.withLock { $0.metadata }) { $1 }
        return document
      }
    }
    router.get("/jwks") { [self] _, _ in
      try await answer("jwks") { ["keys": state.withLock { $0.keys.map(Self.published) } as [[String: String]]] }
    }
    router.post("/token") { [self] request, _ in
      let form = FormFields(String(buffer: try await request.body.collect(upTo: 65536)))
      state.withLock { $0.tokenRequests.append((request.headers[.authorization], form)) }
      return try await answer("token") { ["id_token": token(for: form["code"] ?? ""), "token_type": "Bearer"] }
    }
    return router
  }

  private func answer(_ name: String, _ document: () -> [String: any Sendable]) async throws -> Response {
    let (answer, delay) = state.withLock { state in
      state.asked[name, default: 0] += 1
      return (state.answers[name], state.delays[name])
    }
    if let delay { try await Task.sleep(for: delay) }
    if let answer { return answer }
    return .bytes(try JSONSerialization.data(withJSONObject: document()), contentType: "application/json")
  }

  /// An ID token for a question, or for the token endpoint's own idea of it.
  private func token(for code: String) -> String {
    let (state, question) = state.withLock { ($0, $0.codes[code]) }
    let now = clock.now().timeIntervalSince1970.rounded()
    let key = state.keys.last ?? ("none", P256.Signing.PrivateKey())
    var header: [String: any Sendable] = ["alg": "ES256", "typ": "JWT", "kid": key.kid]
    header.merge(state.header) { $1 }
    var claims: [String: any Sendable] = [
      "iss": issuer, "sub": "ann", "aud": "store", "nonce": question?["nonce"] ?? "", "exp": now + 300, "iat": now,
      "email": "ann@example.org",
    ]
    claims.merge(state.claims) { $1 }
    return TestToken.make(header, claims: claims.filter { !($0.value is NSNull) }, key: key.key)
  }

  private static func published(_ key: (kid: String, key: P256.Signing.PrivateKey)) -> [String: String] {
    let point = Array(key.key.publicKey.rawRepresentation)
    return [
      "kty": "EC", "crv": "P-256", "kid": key.kid, "use": "sig", "x": Base64URL.encode(point[..<32]),
      "y": Base64URL.encode(point[32...]),
    ]
  }
}
