package import Foundation
package import OnsideAPI
import OnsideCommerce

/// The store's OAuth endpoints for an app, a public client (RFC 6749, RFC 7636, RFC 7009).
package struct TokenEndpoint: Sendable {
  private let connection: StoreConnection

  package init(_ connection: StoreConnection) { self.connection = connection }

  /// Where a login begins.
  package func authorization(
    redirect: URL, verifier: CodeVerifier, state: String, options: SignInOptions
  ) -> URL {
    var query = [
      (name: "response_type", value: "code"), (name: "client_id", value: connection.app),
      (name: "redirect_uri", value: redirect.absoluteString), (name: "code_challenge", value: verifier.challenge),
      (name: "code_challenge_method", value: "S256"), (name: "state", value: state),
    ]
    if let country = options.countryHint { query.append((name: "country_hint", value: country.alpha2)) }
    if options.hidesProviders { query.append((name: "login_methods", value: "local")) }
    return connection.address(Route.authorize.path, query: query)
  }

  /// Exchanges a code; `.notSignedIn` when the store refuses it.
  package func exchange(
    _ code: AuthorizationCode, verifier: CodeVerifier, redirect: URL
  ) async throws(StoreError) -> TokenMessage {
    try await tokens([
      (name: "grant_type", value: "authorization_code"), (name: "code", value: code.revealed),
      (name: "code_verifier", value: verifier.revealed), (name: "redirect_uri", value: redirect.absoluteString),
    ])
  }

  /// The next tokens; `.notSignedIn` when the store has ended the session.
  package func refresh(_ token: RefreshToken) async throws(StoreError) -> TokenMessage {
    try await tokens([
      (name: "grant_type", value: "refresh_token"), (name: "refresh_token", value: token.revealed),
    ])
  }

  /// Ends the session of a token. A token that the store does not know is as good as ended.
  package func revoke(_ token: RefreshToken) async throws(StoreError) {
    var call = StoreConnection.Call(.revoke)
    call.body = .form([
      (name: "token", value: token.revealed), (name: "token_type_hint", value: "refresh_token"),
      (name: "client_id", value: connection.app),
    ])
    try await connection.answer(call)
  }

  private func tokens(_ form: [(name: String, value: String)]) async throws(StoreError) -> TokenMessage {
    var call = StoreConnection.Call(.token)
    call.body = .form(form + [(name: "client_id", value: connection.app)])
    let answer = try await connection.exchange(call)
    if answer.status == 200 {
      guard let message = try? WireCoding.decoder().decode(TokenMessage.self, from: answer.body) else {
        throw .internalError("expected tokens from \(call.path), got something else")
      }
      return message
    }
    let told = try? WireCoding.decoder().decode(TokenErrorMessage.self, from: answer.body)
    switch (answer.status, told?.error) {
    case (400, "invalid_grant"?): throw .notSignedIn
    case (400...401, "invalid_client"?): throw .appNotRegistered
    case (400...499, let error?) where answer.status != 429:
      throw .internalError("expected tokens from \(call.path), got \(error): \(told?.errorDescription ?? "no reason")")
    default: throw StoreError(answer, of: call.path).isSignInRefusal ?? .internalError("status \(answer.status)")
    }
  }
}

extension StoreError {
  /// Only `invalid_grant` ends a session (ACC-14), so a bare 401 here is not one.
  fileprivate var isSignInRefusal: StoreError? { self == .notSignedIn ? nil : self }
}
