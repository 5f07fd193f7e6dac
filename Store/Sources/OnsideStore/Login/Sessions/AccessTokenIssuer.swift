public import Crypto
public import Foundation
import OnsideAPI

/// Access tokens: `base64url(payload).base64url(hmac-sha256)`, valid for minutes and checked without the database.
public struct AccessTokenIssuer: Sendable {
  /// What a token says.
  public struct Claims: Sendable, Hashable {
    /// The account, a UUID in lower case.
    public var accountID: String
    /// The app that it was made for.
    public var appID: String
    /// The session that it belongs to, a UUID in lower case.
    public var sessionID: String
    /// Which of the session's refresh tokens came with it; nil in the tokens of versions that did not say.
    public var generation: Int64?
    /// When it ends.
    public var expiresAt: Date

    /// What a token says.
    public init(accountID: String, appID: String, sessionID: String, generation: Int64? = nil, expiresAt: Date) {
      self.accountID = accountID
      self.appID = appID
      self.sessionID = sessionID
      self.generation = generation
      self.expiresAt = expiresAt
    }
  }

  /// How long a token is valid, in seconds.
  public static let lifetime: TimeInterval = 600

  /// The code with nothing in it yet: taking the key in is half of the work, and every request checks a token.
  private let keyed: HMAC<SHA256>

  /// Mints and verifies with the store's secret.
  public init(key: SymmetricKey) {
    keyed = HMAC(key: key)
  }

  /// A token for a session, valid for ``lifetime`` from now.
  public func issue(
    accountID: String, appID: String, sessionID: String, generation: Int64 = 1, now: Date
  ) -> String {
    let expiry = Int64(now.timeIntervalSince1970 + Self.lifetime)
    let text = "\(expiry)\n\(accountID)\n\(sessionID)\n\(appID)\n\(generation)"
    let payload = Base64URL.utf8(of: Array(text.utf8))
    return String(decoding: payload, as: UTF8.self) + "." + Base64URL.encode(Array(code(of: payload[...])))
  }

  /// What a token says; nil when it is not one of this store's, or has ended.
  public func verify(_ token: some StringProtocol, now: Date) -> Claims? {
    let text = Array(token.utf8)
    guard let dot = text.firstIndex(of: UInt8(ascii: ".")), let code = Base64URL.decode(utf8: text[(dot + 1)...]),
      self.code(of: text[..<dot]) == code,
      let payload = Base64URL.decode(utf8: text[..<dot])
    else { return nil }
    let fields = payload.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    guard (4...5).contains(fields.count), let expiry = Int64(fields[0]) else { return nil }
    let expiresAt = Date(timeIntervalSince1970: TimeInterval(expiry))
    guard now < expiresAt else { return nil }
    return Claims(
      accountID: fields[1], appID: fields[3], sessionID: fields[2],
      generation: fields.count == 5 ? Int64(fields[4]) : nil, expiresAt: expiresAt)
  }

  /// Compared by `==` in constant time.
  private func code(of payload: ArraySlice<UInt8>) -> HMAC<SHA256>.MAC {
    var code = keyed
    code.update(data: payload)
    return code.finalize()
  }
}
