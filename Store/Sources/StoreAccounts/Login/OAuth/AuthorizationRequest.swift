import OnsideAPI
import StoreBase
import StoreWeb

/// What an app asks of `/oauth/authorize` (OAuth 2.1, section 4.1.1).
package struct AuthorizationRequest: Sendable, Hashable {
  var clientID: String
  var redirectURI: String
  var codeChallenge: String
  var state: String?

  /// Why a request is refused.
  enum Refusal: Error, Sendable, Hashable {
    /// The client is not known: the browser must not be sent anywhere.
    case unknownClient
    /// The address is not the client's: the browser must not be sent there.
    case unknownRedirect
    /// The client is told, at its own address.
    case answer(AuthorizationAnswer)
  }

  /// Checks the parameters of a request; `app` finds a registered client.
  static func parse(_ query: FormFields, app: (String) -> App?) throws(Refusal) -> AuthorizationRequest {
    guard let clientID = query.single("client_id"), let app = app(clientID) else { throw .unknownClient }
    guard let redirectURI = query.single("redirect_uri"), app.accepts(redirect: redirectURI) else {
      throw .unknownRedirect
    }
    let state = query.single("state")
    func refuse(_ error: String, description: String) -> Refusal {
      .answer(AuthorizationAnswer(redirectURI: redirectURI, state: state, error: error, description: description))
    }
    guard !query.hasRepetition else { throw refuse("invalid_request", description: "A parameter is given twice.") }
    guard query.single("response_type") == "code" else {
      throw refuse("unsupported_response_type", description: "Expected response_type=code.")
    }
    guard query.single("response_mode") ?? "query" == "query" else {
      throw refuse("invalid_request", description: "Expected response_mode=query, or none.")
    }
    guard query.single("scope") == nil else {
      throw refuse("invalid_scope", description: "This server has no scopes. Leave the parameter out.")
    }
    guard let state, !state.isEmpty, state.utf8.count <= 1024 else {
      throw refuse("invalid_request", description: "Expected a state of 1 to 1024 bytes.")
    }
    guard query.single("code_challenge_method") == "S256" else {
      throw refuse("invalid_request", description: "Expected code_challenge_method=S256.")
    }
    guard let challenge = query.single("code_challenge"), Base64URL.decode(challenge)?.count == 32 else {
      throw refuse("invalid_request", description: "Expected a code_challenge of 43 base64url characters.")
    }
    return AuthorizationRequest(
      clientID: clientID, redirectURI: redirectURI, codeChallenge: challenge, state: state)
  }
}

/// What the store tells an app at its redirect address: a code or an error, with the state and the issuer (RFC 9207).
struct AuthorizationAnswer: Sendable, Hashable {
  var redirectURI: String
  var state: String?
  var code: String?
  var error: String?
  var description: String?

  /// The address to send the browser to.
  func location(issuer: String) -> String {
    let parameters = [
      ("code", code), ("error", error), ("error_description", description), ("state", state), ("iss", issuer),
    ]
    return redirectURI.appendingQuery(parameters.compactMap { name, value in value.map { (name, $0) } })
  }
}
