import Foundation
import OnsideAPI
import Stellar

/// The token of SEP-10: a JWT (RFC 7519) that the store signs with its `SIGNING_KEY`, so that everybody who knows
/// `stellar.toml` can check it (`EdDSA`, RFC 8037).
enum WalletToken {
  /// How long it is good, in seconds.
  static let lifetime: Int64 = 3600

  private struct Header: Encodable {
    let alg = "EdDSA"
    let typ = "JWT"
  }

  private struct Payload: Encodable {
    let iss: String
    let sub: String
    let iat: Int64
    let exp: Int64
    let jti: String
  }

  static func make(for challenge: WebChallenge, issuer: String, now: Date, signedBy pair: SigningKeyPair) throws
    -> String
  {
    let time = Int64(now.timeIntervalSince1970)
    let payload = Payload(
      iss: issuer, sub: challenge.subject, iat: time, exp: time + lifetime, jti: Base64URL.encode(challenge.nonce))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let parts = [try encoder.encode(Header()), try encoder.encode(payload)].map { Base64URL.encode(Array($0)) }
    let text = parts.joined(separator: ".")
    return text + "." + Base64URL.encode(pair.signature(of: Array(text.utf8)))
  }
}
