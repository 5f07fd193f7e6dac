import Foundation
import JWTKit

/// A public key of a provider, for the one algorithm that it is good for: no header can choose another.
struct ProviderKey: Sendable {
  /// The algorithms whose signatures are looked at. None is symmetric: the client's secret signs nothing.
  enum Algorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"
  }

  /// Its `kid`.
  let id: String?
  let algorithm: Algorithm
  let verifier: any JWTAlgorithm

  /// Reads a JSON Web Key Set (RFC 7517); keys that the store has no use for are left out.
  static func keys(in set: Data) async throws(OpenIDFailure) -> [ProviderKey] {
    guard let set = try? JSONDecoder().decode(KeySet.self, from: set) else {
      throw .unexpected("a JSON Web Key Set at jwks_uri, got something else")
    }
    var keys: [ProviderKey] = []
    for key in set.keys.prefix(64).compactMap(\.key) {
      if let key = try? await ProviderKey(key) { keys.append(key) }
    }
    return keys
  }

  private init?(_ key: JSONWebKey) async throws {
    guard key.use ?? "sig" == "sig", key.operations?.contains("verify") ?? true else { return nil }
    let keys = JWTKeyCollection()
    switch (key.type, key.curve) {
    case ("RSA", _):
      guard let modulus = key.modulus, let exponent = key.exponent else { return nil }
      algorithm = .rs256
      await keys.add(
        rsa: try Insecure.RSA.PublicKey(modulus: modulus, exponent: exponent), digestAlgorithm: .sha256)
    case ("EC", "P-256"):
      guard let x = key.x, let y = key.y else { return nil }
      algorithm = .es256
      await keys.add(ecdsa: try ES256PublicKey(parameters: (x, y)))
    case ("OKP", "Ed25519"):
      guard let x = key.x else { return nil }
      algorithm = .edDSA
      await keys.add(eddsa: try EdDSA.PublicKey(x: x, curve: .ed25519))
    default: return nil
    }
    guard key.algorithm ?? algorithm.rawValue == algorithm.rawValue else { return nil }
    id = key.id
    verifier = try await keys.getKey()
  }
}

private struct KeySet: Decodable {
  var keys: [MaybeKey]

  /// A key that cannot be read does not spoil the others.
  struct MaybeKey: Decodable {
    var key: JSONWebKey?

    init(from decoder: any Decoder) throws { key = try? JSONWebKey(from: decoder) }
  }
}

private struct JSONWebKey: Decodable {
  var type: String
  var id: String?
  var use: String?
  var operations: [String]?
  var algorithm: String?
  var curve: String?
  var modulus: String?
  var exponent: String?
  var x: String?
  var y: String?

  enum CodingKeys: String, CodingKey {
    case type = "kty"
    case id = "kid"
    case use
    case operations = "key_ops"
    case algorithm = "alg"
    case curve = "crv"
    case modulus = "n"
    case exponent = "e"
    case x, y
  }
}
