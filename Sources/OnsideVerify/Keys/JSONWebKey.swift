import Crypto
import OnsideAPI

/// The members of a JSON Web Key (RFC 7517) that a verifier of ES256 looks at.
struct JSONWebKey: Decodable {
  let kty: String
  let crv: String
  let kid: String
  let x: String
  let y: String
  let use: String?
  let alg: String?
  let operations: [String]?

  enum CodingKeys: String, CodingKey {
    case kty, crv, kid, x, y, use, alg
    case operations = "key_ops"
  }

  /// The point on P-256; nil when the key is for something else, or is no point of the curve.
  var publicKey: P256.Signing.PublicKey? {
    guard kty == "EC", crv == "P-256", !kid.isEmpty, use ?? "sig" == "sig", alg ?? "ES256" == "ES256",
      operations?.contains("verify") ?? true, let x = Base64URL.decode(x), let y = Base64URL.decode(y), x.count == 32,
      y.count == 32
    else { return nil }
    return try? P256.Signing.PublicKey(rawRepresentation: x + y)
  }
}

/// A JWKS document, in which a key that cannot be read does not spoil the others.
struct JSONWebKeySetDocument: Decodable {
  let keys: [Element]

  struct Element: Decodable {
    let key: JSONWebKey?

    init(from decoder: any Decoder) throws { key = try? JSONWebKey(from: decoder) }
  }
}
