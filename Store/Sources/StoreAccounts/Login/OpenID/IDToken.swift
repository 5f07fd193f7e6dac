import Foundation
import JWTKit
import OnsideAPI
import StoreBase

/// An ID token, taken apart: nothing in it is believed before ``claims(_:)`` has looked at all of it.
struct IDToken: Sendable {
  static let maximumSize = 16 * 1024

  /// What the header says.
  struct Header: Decodable, Sendable {
    var alg: String
    var kid: String?
    var typ: String?
  }

  let header: Header
  private let payload: Data
  private let signature: [UInt8]
  private let signed: Data

  init(_ text: String) throws(IDTokenFault) {
    guard text.utf8.count <= Self.maximumSize else { throw .tooLarge }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let first = Base64URL.decode(parts[0]), let second = Base64URL.decode(parts[1]),
      let third = Base64URL.decode(parts[2])
    else { throw .malformed }
    payload = Data(second)
    signature = third
    signed = Data("\(parts[0]).\(parts[1])".utf8)
    header = try Self.read(Data(first))
    guard try !Self.names(of: Data(first)).contains("crit") else { throw .criticalHeader }
    guard header.typ.map({ $0.uppercased() == "JWT" }) ?? true else { throw .type }
    guard ProviderKey.Algorithm(rawValue: header.alg) != nil else { throw .algorithm }
  }

  /// What the token says, once its signature is one of these keys' and everything in it is as expected.
  func claims(_ expectation: IDTokenExpectation, keys: [ProviderKey]) throws(IDTokenFault) -> IDTokenClaims {
    let fitting = keys.filter { key in
      key.algorithm.rawValue == header.alg && (header.kid == nil || key.id == header.kid)
    }
    // Without a name it must be clear which one is meant.
    guard let key = fitting.first, header.kid != nil || fitting.count == 1 else { throw .unknownKey }
    guard (try? key.verifier.verify(signature, signs: signed)) == true else { throw .signature }
    let claims: IDTokenClaims = try Self.read(payload)
    try expectation.check(claims)
    return claims
  }

  private static func read<Value: Decodable>(_ json: Data) throws(IDTokenFault) -> Value {
    guard let value = try? JSONDecoder().decode(Value.self, from: json) else { throw .notJSON }
    guard !JSONNames.areRepeated(in: json) else { throw .repeatedName }
    return value
  }

  private static func names(of json: Data) throws(IDTokenFault) -> Set<String> {
    guard let object = try? JSONSerialization.jsonObject(with: json) as? [String: Any] else { throw .notJSON }
    return Set(object.keys)
  }
}
