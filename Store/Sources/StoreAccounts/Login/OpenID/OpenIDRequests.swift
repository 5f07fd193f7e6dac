package import Crypto
import Foundation
import OnsideAPI
package import StoreBase
package import StoreWeb

/// The pending authorization requests to providers: one for each login, bound to its browser, valid once.
package struct OpenIDRequests: Sendable {
  package let database: any Database
  package let random: any RandomSource
  /// The keys that derive nonce and verifier from a state: that of the time at which the login began.
  package let keys: VersionedKey<SymmetricKey>
  package let address: PublicAddress

  package init(
    database: any Database, random: any RandomSource, keys: VersionedKey<SymmetricKey>, address: PublicAddress
  ) {
    self.database = database
    self.random = random
    self.keys = keys
    self.address = address
  }

  /// Begins a request for a login, which replaces an earlier one of the same login. Nil when the login is over.
  func begin(_ attempt: LoginAttempt, provider: String) async throws -> OpenIDQuestion? {
    let question = question(random.token(bytes: 32), attempt: attempt, provider: provider)
    let isNoted = try await database.write { connection in
      try OpenIDRequestRecords.begin(question.state, of: attempt.id, provider: provider, in: connection)
    }
    return isNoted ? question : nil
  }

  /// The id of the login that waits for a state; nil when there is none.
  func attemptID(_ state: String, provider: String) async throws -> String? {
    try await database.read { try OpenIDRequestRecords.attemptID(state, provider: provider, in: $0) }
  }

  /// Uses up a state; nil when a concurrent request has used it before.
  func take(_ state: String, of attempt: LoginAttempt, provider: String) async throws -> OpenIDQuestion? {
    let isTaken = try await database.write { try OpenIDRequestRecords.take(state, of: attempt.id, in: $0) }
    return isTaken ? question(state, attempt: attempt, provider: provider) : nil
  }

  private func question(_ state: String, attempt: LoginAttempt, provider: String) -> OpenIDQuestion {
    let key = keys.value(at: attempt.expiresAt - LoginAttempt.lifetime)
    return OpenIDQuestion(
      state: state, nonce: Self.derived("nonce", from: state, by: key),
      verifier: Self.derived("verifier", from: state, by: key),
      redirectURI: address.url(path: "/openid/\(provider)/callback").absoluteString, language: attempt.language,
      asksAgain: attempt.isProof)
  }

  private static func derived(_ purpose: String, from state: String, by key: SymmetricKey) -> String {
    Base64URL.encode(Array(HMAC<SHA256>.authenticationCode(for: Data("\(purpose):\(state)".utf8), using: key)))
  }
}
