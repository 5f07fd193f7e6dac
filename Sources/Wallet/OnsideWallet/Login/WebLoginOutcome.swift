public import Foundation
import OnsideAPI

/// The result of a login.
public struct WebLoginOutcome: Sendable {
  /// The bearer token of the account at the store. Its bearer acts as the account until it expires.
  public let token: WebLoginToken
  /// When the token expires, if it says so.
  public let tokenEnd: Date?
  /// Whether the store has an account that this wallet opens; nil where it does not say.
  public let hasAccount: Bool?

  init(_ message: WalletTokenMessage, for subject: String) throws(WebLoginError) {
    let text = message.token
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x21..<0x7f).contains($0) }) else {
      throw WebLoginError(.answer, description: "expected a token, got something else: ask who runs the store")
    }
    let claims = Claims(ofToken: text)
    guard claims?.sub ?? subject == subject else {
      throw WebLoginError(
        .answer, description: "expected a token of \(subject), got one of another account: ask who runs the store")
    }
    token = WebLoginToken(text: text)
    tokenEnd = claims?.exp.map { Date(timeIntervalSince1970: $0) }
    hasAccount = message.hasAccount
  }

  /// The token's claims, as far as they can be read: SEP-10 makes it opaque to clients.
  private struct Claims: Decodable {
    let sub: String?
    let exp: Double?

    init?(ofToken text: String) {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 3 else { return nil }
      let base64 = parts[1].map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
      let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
      guard let json = Data(base64Encoded: String(base64) + padding),
        let claims = try? JSONDecoder().decode(Claims.self, from: json)
      else { return nil }
      self = claims
    }
  }
}

/// A token of SEP-10. Prints as redacted.
public struct WebLoginToken: Sendable, CustomStringConvertible, CustomReflectable {
  /// The token itself. Only this property shows it.
  public let text: String

  /// Never the token.
  public var description: String { "redacted" }
  /// Empty: a dump shows nothing either.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
