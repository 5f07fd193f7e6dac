import Crypto
import Foundation
import OnsideAPI
import OnsideCommerce

@testable import OnsideVerify

/// A store's key, which signs what tests verify.
struct TestKey: Sendable {
  let id: String
  let privateKey: P256.Signing.PrivateKey

  init(_ id: String) {
    self.id = id
    privateKey = P256.Signing.PrivateKey()
  }

  /// The members of its JWK.
  var jwk: [String: String] {
    let point = privateKey.publicKey.rawRepresentation
    return [
      "alg": "ES256", "crv": "P-256", "kid": id, "kty": "EC", "use": "sig", "x": Base64URL.encode(point.prefix(32)),
      "y": Base64URL.encode(point.suffix(32)),
    ]
  }

  /// A compact JWS; `header` replaces members of the usual header.
  func sign(_ payload: Data, header: [String: Any] = [:]) throws -> String {
    let members = (["alg": "ES256", "kid": id] as [String: Any]).merging(header) { $1 }
    return try sign(payload, headerJSON: try JSONSerialization.data(withJSONObject: members))
  }

  func sign(_ payload: Data, headerJSON: Data) throws -> String {
    let message = Base64URL.encode(headerJSON) + "." + Base64URL.encode(payload)
    let signature = try privateKey.signature(for: Data(message.utf8)).rawRepresentation
    return message + "." + Base64URL.encode(signature)
  }
}

/// A JWKS document of members.
func document(_ keys: [[String: Any]]) throws -> Data {
  try JSONSerialization.data(withJSONObject: ["keys": keys])
}

func keySet(_ keys: TestKey...) throws -> JSONWebKeySet { try JSONWebKeySet(jwks: try document(keys.map(\.jwk))) }

/// The code of the error that work throws; nil when it throws none.
func code(of work: () throws -> some Any) -> VerificationError.Code? {
  do {
    _ = try work()
    return nil
  } catch { return (error as? VerificationError)?.code }
}
