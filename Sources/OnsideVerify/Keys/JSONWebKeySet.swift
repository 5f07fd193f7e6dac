import Crypto
public import Foundation

/// The public keys of a store, which verify what it has signed: histories, receipts and lists of entitlements.
///
/// A store publishes its keys at `/.well-known/jwks.json` (RFC 7517): a key for at least ten minutes before it signs,
/// and the old ones for ever. An app or server that pins the keys keeps that document, and verifies without a network:
///
/// ```swift
/// let keys = try JSONWebKeySet(jwks: try Data(contentsOf: pinnedKeys))
/// let payload = try keys.payload(of: jws)
/// let history = try TransactionHistory.decoder.decode(TransactionHistory.self, from: payload)
/// ```
///
/// This is the signature alone. ``OnsideVerifier`` also compares app, environment and account; ``RemoteKeySet``
/// fetches keys.
public struct JSONWebKeySet: Sendable {
  private let keys: [String: P256.Signing.PublicKey]

  /// The largest document of keys that is read, in bytes.
  public static let maximumDocumentSize = 256 << 10
  /// The largest signed document that is verified unless the caller says otherwise, in bytes: about 16,000 purchases.
  public static let maximumSignedSize = 16 << 20

  /// Reads a JWKS document. Keys that ES256 has no use for are left out: other types and curves, keys for encryption,
  /// keys without `kid`.
  ///
  /// Throws ``VerificationError/Code/malformedKeys`` when no key is left, when two keys share a `kid`, and when it is
  /// no such document; ``VerificationError/Code/tooLarge`` over ``maximumDocumentSize``.
  public init(jwks: Data) throws(VerificationError) {
    guard jwks.count <= Self.maximumDocumentSize else {
      throw VerificationError(
        .tooLarge, "Expected a key set of at most \(Self.maximumDocumentSize) bytes, got \(jwks.count).")
    }
    guard let document = try? JSONDecoder().decode(JSONWebKeySetDocument.self, from: jwks) else {
      throw VerificationError(
        .malformedKeys, "Expected a JSON Web Key Set (RFC 7517), got something else. Ask the store's jwks_uri.")
    }
    var keys: [String: P256.Signing.PublicKey] = [:]
    for key in document.keys.compactMap(\.key) {
      guard let publicKey = key.publicKey else { continue }
      let known = keys.updateValue(publicKey, forKey: key.kid)
      guard known == nil || known?.rawRepresentation == publicKey.rawRepresentation else {
        throw VerificationError(.malformedKeys, "Expected a key for each kid, got two for \(key.kid.quoted).")
      }
    }
    guard !keys.isEmpty else {
      throw VerificationError(
        .malformedKeys, "Expected a key for ES256 (P-256, with a kid) among \(document.keys.count) keys, got none.")
    }
    self.keys = keys
  }

  /// The `kid` of every key.
  public var keyIDs: Set<String> { Set(keys.keys) }

  func contains(_ kid: String) -> Bool { keys[kid] != nil }

  /// The payload of a compact JWS (RFC 7515), after its signature was verified.
  ///
  /// - Parameters:
  ///   - jws: three parts in base64url with dots between them, without white space around them.
  ///   - type: the `typ` that the header must have: `EntitlementList.type` for a list. Nil for histories and receipts,
  ///     which have none: then a header with a `typ` is refused.
  ///   - maximumSize: in bytes; a larger document is refused unread.
  ///
  /// The header's `alg` must be ES256 and its `kid` one of ``keyIDs``: no other key is tried, and keys that a header
  /// brings along (`jwk`, `jku`, `x5c`) are not looked at. Throws ``VerificationError/Code/unknownKey`` when newer
  /// keys may help.
  public func payload(
    of jws: String, type: String? = nil, maximumSize: Int = maximumSignedSize
  ) throws(VerificationError) -> Data {
    try payload(of: try CompactJWS(jws, type: type, maximumSize: maximumSize))
  }

  func payload(of document: CompactJWS) throws(VerificationError) -> Data {
    let kid = document.header.kid
    guard let key = keys[kid] else {
      throw VerificationError(
        .unknownKey, "Expected the kid of one of \(keys.count) keys, got \(kid.quoted). Fetch the store's keys anew.",
        unknownKeyID: kid)
    }
    guard key.isValidSignature(document.signature, for: document.signedBytes) else {
      throw VerificationError(
        .wrongSignature, "Expected a signature by the key \(kid.quoted), got another one. The document was changed.")
    }
    return document.payload
  }
}
