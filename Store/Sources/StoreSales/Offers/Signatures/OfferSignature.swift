import Crypto
import Foundation
import OnsideAPI

/// What an app's server signs for a promotional offer: a compact JWS (RFC 7515) with ES256, whose header names the key
/// (`kid`). `docs/offers.md` has the format for merchants.
struct OfferSignature: Sendable {
  /// The claims. Times are seconds since 1970, as in a JWT.
  struct Claims: Codable, Sendable, Hashable {
    var app: String
    var product: String
    var offer: String
    /// The `app_account_token` of the purchase.
    var account: String
    /// Unique for each signature of an app.
    var nonce: String
    var iat: Int64
  }

  private struct Header: Decodable {
    let alg: String
    let kid: String
    let crit: [String]?
  }

  /// The most bytes that a signature may have.
  static let limit = 4096
  /// For how long a signature is good, in seconds.
  static let lifetime: TimeInterval = 86_400
  /// How far a server's clock may be ahead, in seconds.
  static let clockTolerance: TimeInterval = 300

  /// The name of the key.
  let key: String
  /// Not to be trusted before ``isSigned(by:)``.
  let claims: Claims
  private let signed: Data
  private let signature: P256.Signing.ECDSASignature

  /// Takes a signature apart; nothing is verified yet.
  init(_ text: String) throws(OfferSignatureFault) {
    let parts = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
    guard text.utf8.count <= Self.limit, parts.count == 3,
      let headerBytes = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
      let signatureBytes = Base64URL.decode(parts[2]), signatureBytes.count == 64,
      let header = try? JSONDecoder().decode(Header.self, from: Data(headerBytes)),
      let claims = try? JSONDecoder().decode(Claims.self, from: Data(payload)),
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signatureBytes)
    else { throw .malformed }
    guard header.alg == "ES256", header.crit == nil, (16...64).contains(claims.nonce.utf8.count),
      !claims.nonce.utf8.contains(0)
    else { throw .malformed }
    (key, self.claims, self.signature) = (header.kid, claims, signature)
    signed = Data("\(parts[0]).\(parts[1])".utf8)
  }

  /// Whether the key has signed it.
  func isSigned(by key: OfferKey) -> Bool { key.publicKey.isValidSignature(signature, for: signed) }

  /// Requires that it is for a purchase, and signed less than a day ago.
  func require(
    app: String, product: String, offer: String, account: String?, at now: Date
  ) throws(OfferSignatureFault) {
    // Byte for byte: strings that only look alike are others.
    func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
    guard isSame(claims.app, app) else { throw .otherApp }
    guard isSame(claims.product, product), isSame(claims.offer, offer) else { throw .otherOffer }
    guard let account, !account.isEmpty, isSame(claims.account, account) else { throw .otherAccount }
    let age = now.timeIntervalSince1970 - Double(claims.iat)
    guard age < Self.lifetime else { throw .old }
    guard age > -Self.clockTolerance else { throw .early }
  }
}

/// Why a signature is not one for a purchase.
enum OfferSignatureFault: String, Error, Sendable, CaseIterable {
  case missing = "The offer needs a signature of the app's server."
  case malformed = """
    Expected a compact JWS of at most 4096 bytes with alg ES256, kid, and the claims app, product, offer, account, nonce \
    (16 to 64 bytes) and iat.
    """
  case unknownKey = "The app has no key with this kid: `onside app offer-key add` adds one."
  case notSigned = "The signature was not made with the key that it names."
  case otherApp = "The signature is for another app."
  case otherOffer = "The signature is for another product or offer."
  case otherAccount =
    "The signature is for another account than the app_account_token of the purchase, or there is none."
  case old = "The signature is older than a day: sign again."
  case early = "The signature is of a time to come: set the server's clock."
  case used = "The nonce was used: sign again for each purchase."
}
