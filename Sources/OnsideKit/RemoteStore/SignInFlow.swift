import Foundation
import OnsideAPI

/// One login: authorization code with PKCE and `state`, whichever user agent shows it (RFC 6749, RFC 7636, RFC 8252).
struct SignInFlow: Sendable {
  let connection: StoreConnection
  let endpoint: TokenEndpoint
  let verifier: CodeVerifier
  let state: String

  init(connection: StoreConnection, endpoint: TokenEndpoint, randomBytes: (Int) -> [UInt8]) {
    self.connection = connection
    self.endpoint = endpoint
    verifier = CodeVerifier(randomBytes: randomBytes)
    state = Base64URL.encode(randomBytes(16))
  }

  /// The login that an earlier process began.
  init(connection: StoreConnection, endpoint: TokenEndpoint, verifier: CodeVerifier, state: String) {
    self.connection = connection
    self.endpoint = endpoint
    self.verifier = verifier
    self.state = state
  }

  /// The code of an answer that the page redirected with; nil when it says no, or does not belong to this login.
  func code(in answer: URL) -> Result<AuthorizationCode, Refusal> {
    guard answer.queryValues(named: "state") == [state] else { return .failure(.init("its state is not this login's")) }
    // RFC 9207: an answer of another server must not be exchanged at this one.
    let issuers = answer.queryValues(named: "iss")
    guard issuers.isEmpty || issuers.map(Self.origin) == [Self.origin(connection.store.absoluteString)] else {
      return .failure(.init("its issuer is not \(connection.store.absoluteString)"))
    }
    if let error = answer.queryValues(named: "error").first { return .failure(.init("the store says \(error)")) }
    let codes = answer.queryValues(named: "code")
    guard codes.count == 1, let code = codes.first, !code.isEmpty else { return .failure(.init("it has no code")) }
    return .success(AuthorizationCode(code))
  }

  /// Why an answer is not a login.
  struct Refusal: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  private static func origin(_ address: String) -> String {
    address.hasSuffix("/") ? String(address.dropLast()) : address
  }
}
