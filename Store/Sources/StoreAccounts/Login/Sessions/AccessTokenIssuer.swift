public import Crypto
public import Foundation
import OnsideAPI
public import StoreBase
public import StoreWeb

/// Access tokens: the encrypted claims in base64url, valid for minutes and checked without the database. The app cannot
/// read them: they name the account by the id that all apps share.
public struct AccessTokenIssuer: Sendable {
  /// How long a token is valid, in seconds.
  public static let lifetime: TimeInterval = 600

  /// The code with nothing in it yet: taking the key in is half of the work.
  private let keyed: HMAC<SHA256>
  private let sealKey: SymmetricKey

  /// Mints and verifies with the store's secret.
  public init(key: SymmetricKey) {
    keyed = HMAC(key: key)
    sealKey = HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data("seal".utf8), outputByteCount: 32)
  }

  /// A token for a session, valid for ``lifetime`` from now.
  public func issue(
    accountID: String, appID: String, sessionID: String, generation: Int64 = 1, now: Date
  ) -> String {
    let expiry = Int64(now.timeIntervalSince1970 + Self.lifetime)
    let text = "\(expiry)\n\(accountID)\n\(sessionID)\n\(appID)\n\(generation)"
    return seal(Array(text.utf8))
  }

  /// The nonce is made of the claims, so that it repeats with the same claims only.
  private func seal(_ payload: [UInt8]) -> String {
    let nonce = Array(code(of: payload[...])).prefix(12)
    guard
      let box = try? AES.GCM.seal(payload, using: sealKey, nonce: AES.GCM.Nonce(data: nonce)).combined
    else { preconditionFailure("expected AES-GCM to take a key of 32 and a nonce of 12 bytes") }
    return Base64URL.encode(Array(box))
  }

  private func payload(of token: [UInt8]) -> [UInt8]? {
    guard let dot = token.firstIndex(of: UInt8(ascii: ".")) else {
      return Base64URL.decode(utf8: token[...]).flatMap { try? AES.GCM.SealedBox(combined: $0) }
        .flatMap { try? AES.GCM.open($0, using: sealKey) }.map { Array($0) }
    }
    // A token of an earlier version, for the minutes behind an update: the claims, and an HMAC of them.
    guard let code = Base64URL.decode(utf8: token[(dot + 1)...]), self.code(of: token[..<dot]) == code else {
      return nil
    }
    return Base64URL.decode(utf8: token[..<dot])
  }

  /// What a token says; nil when it is not one of this store's, or has ended.
  public func verify(_ token: some StringProtocol, now: Date) -> AccessClaims? {
    guard let payload = payload(of: Array(token.utf8)) else { return nil }
    let fields = payload.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    guard (4...5).contains(fields.count), let expiry = Int64(fields[0]) else { return nil }
    let expiresAt = Date(timeIntervalSince1970: TimeInterval(expiry))
    guard now < expiresAt else { return nil }
    return AccessClaims(
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

extension VersionedKey<AccessTokenIssuer> {
  /// A token for a session, valid for ``AccessTokenIssuer/lifetime`` from now.
  public func issue(
    accountID: String, appID: String, sessionID: String, generation: Int64 = 1, now: Date
  ) -> String {
    current.issue(accountID: accountID, appID: appID, sessionID: sessionID, generation: generation, now: now)
  }

  /// The claims of a token; nil if it is not one of this store's, or has expired.
  public func verify(_ token: some StringProtocol, now: Date) -> AccessClaims? {
    first { $0.verify(token, now: now) }
  }
}
