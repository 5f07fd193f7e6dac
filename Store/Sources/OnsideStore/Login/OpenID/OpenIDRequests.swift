import Crypto
import Foundation
import OnsideAPI

/// The pending authorization requests to providers: one for each login, bound to its browser, valid once.
struct OpenIDRequests: Sendable {
  let database: any Database
  let random: any RandomSource
  /// The key that derives nonce and verifier from a state.
  let key: SymmetricKey
  let address: PublicAddress

  /// Begins a request for a login, which replaces an earlier one of the same login. Nil when the login is over.
  func begin(_ attempt: LoginAttempt, provider: String) async throws -> OpenIDQuestion? {
    let question = question(random.token(bytes: 32), attempt: attempt, provider: provider)
    let isNoted = try await database.write { connection in
      try connection.execute(
        "UPDATE login_attempts SET provider = $2, provider_state = $3 WHERE id = $1 AND finished_at IS NULL",
        [.text(attempt.id), .text(provider), .text(question.state.sha256)]) == 1
    }
    return isNoted ? question : nil
  }

  /// The id of the login that waits for a state; nil when there is none.
  func attemptID(_ state: String, provider: String) async throws -> String? {
    try await database.read { connection in
      try connection.row(
        "SELECT id FROM login_attempts WHERE provider_state = $1 AND provider = $2",
        [.text(state.sha256), .text(provider)])?.text("id")
    }
  }

  /// Uses up a state; nil when a concurrent request has used it before.
  func take(_ state: String, of attempt: LoginAttempt, provider: String) async throws -> OpenIDQuestion? {
    let isTaken = try await database.write { connection in
      try connection.execute(
        """
        UPDATE login_attempts SET provider_state = NULL
        WHERE id = $1 AND provider_state = $2 AND finished_at IS NULL
        """, [.text(attempt.id), .text(state.sha256)]) == 1
    }
    return isTaken ? question(state, attempt: attempt, provider: provider) : nil
  }

  private func question(_ state: String, attempt: LoginAttempt, provider: String) -> OpenIDQuestion {
    OpenIDQuestion(
      state: state, nonce: derived("nonce", state), verifier: derived("verifier", state),
      redirectURI: address.url(path: "/openid/\(provider)/callback").absoluteString, language: attempt.language,
      asksAgain: attempt.isProof)
  }

  private func derived(_ purpose: String, _ state: String) -> String {
    Base64URL.encode(Array(HMAC<SHA256>.authenticationCode(for: Data("\(purpose):\(state)".utf8), using: key)))
  }
}
