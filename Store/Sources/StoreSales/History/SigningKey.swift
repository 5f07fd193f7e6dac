import Crypto
public import Foundation
import OnsideAPI
import StoreBase

/// A key that signs receipts and histories (ES256), and where it is in its life.
public struct SigningKey: Sendable {
  /// A key is published as `next` before it signs anything, signs while it is `active`, and stays published when it is
  /// `retired`, because receipts are verified for ever. A withdrawn key is deleted.
  public enum State: String, Sendable, Codable {
    /// Published, not signing yet.
    case next
    /// Signs.
    case active
    /// Signs no more; what it signed is still verified with it.
    case retired
  }

  /// The RFC 7638 thumbprint of the public key.
  public let id: String
  /// Where it is in its life.
  public let state: State
  /// When it was made, and so published.
  public let createdAt: Date

  private let key: P256.Signing.PrivateKey
  /// The JWS header of receipts and histories, as base64url.
  private let header: [UInt8]
  private let coordinates: (x: String, y: String)

  init(rawKey: [UInt8], state: State, createdAt: Date) throws {
    self.state = state
    self.createdAt = createdAt
    key = try P256.Signing.PrivateKey(rawRepresentation: rawKey)
    let point = Array(key.publicKey.rawRepresentation)
    coordinates = (Base64URL.encode(point.prefix(32)), Base64URL.encode(point.suffix(32)))
    let canonical = #"{"crv":"P-256","kty":"EC","x":"\#(coordinates.x)","y":"\#(coordinates.y)"}"#
    id = Base64URL.encode(Array(SHA256.hash(data: Data(canonical.utf8))))
    header = Base64URL.utf8(of: Array(#"{"alg":"ES256","kid":"\#(id)"}"#.utf8))
  }

  /// The private key, as the database stores it.
  var rawKey: [UInt8] { Array(key.rawRepresentation) }

  /// A Boolean value that indicates whether the header of a receipt or history names this key.
  func isNamed(in jws: String) -> Bool { jws.utf8.starts(with: header) }

  /// A compact JWS (RFC 7515) of the payload of a receipt or a history.
  func sign(_ payload: [UInt8]) throws -> String { try sign(payload, header: header) }

  /// A compact JWS of a payload whose header says what it is (`typ`, RFC 7515, section 4.1.9).
  package func sign(_ payload: [UInt8], type: String) throws -> String {
    try sign(payload, header: Base64URL.utf8(of: Array(#"{"alg":"ES256","kid":"\#(id)","typ":"\#(type)"}"#.utf8)))
  }

  private func sign(_ payload: [UInt8], header: [UInt8]) throws -> String {
    var message = header
    message.append(UInt8(ascii: "."))
    message += Base64URL.utf8(of: payload)
    let signature = try key.signature(for: message).rawRepresentation
    message.append(UInt8(ascii: "."))
    message += Base64URL.utf8(of: signature)
    return String(decoding: message, as: UTF8.self)
  }

  /// Writes the public key as a JWK (RFC 7517).
  func writePublic(to json: inout JSONWriter) {
    json.object { json in
      json.field("alg", "ES256")
      json.field("crv", "P-256")
      json.field("kid", id)
      json.field("kty", "EC")
      json.field("use", "sig")
      json.field("x", coordinates.x)
      json.field("y", coordinates.y)
    }
  }
}
