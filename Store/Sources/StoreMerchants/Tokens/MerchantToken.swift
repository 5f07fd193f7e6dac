import Crypto
import Foundation
import OnsideAPI
import StoreBase

/// The JWT of a merchant's server (HS256), which admits one request (contract, section 4.1).
///
/// A value has a valid form only. ``claims(secret:merchant:now:)`` verifies the signature, and all claims after it.
struct MerchantToken: Sendable {
  /// The longest token, in bytes.
  static let maximumSize = 4096
  /// The longest time from `nbf` to `exp`, in seconds.
  static let longestWindow: Double = 30
  /// The accepted difference between the clocks of the merchant's server and of the store, in seconds.
  static let tolerance: Double = 5
  /// Seconds after `exp` for which a `jti` is remembered: longer than the tolerance and the difference between the
  /// clocks of the store's processes.
  static let memory: Double = 60

  /// The verified claims that the store needs.
  struct Claims: Sendable, Hashable {
    /// The hash of `jti`: the text itself may be of any length.
    let idHash: String
    /// The time until which the `jti` is remembered.
    let rememberedUntil: Date
  }

  /// The id of the secret (`kid`).
  let secretID: String
  private let payload: [UInt8]
  private let signature: [UInt8]
  private let signed: Data

  /// Parses the header `Authorization`.
  init(authorization header: String?) throws(MerchantTokenFault) {
    let parts = (header ?? "").split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw .missing }
    try self.init(parts[1])
  }

  /// Parses a compact JWS.
  init(_ text: some StringProtocol) throws(MerchantTokenFault) {
    guard text.utf8.count <= Self.maximumSize else { throw .size }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
      let signature = Base64URL.decode(parts[2])
    else { throw .form }
    secretID = try Self.secretID(of: Self.decoded(header))
    self.payload = payload
    self.signature = signature
    signed = Data("\(parts[0]).\(parts[1])".utf8)
  }

  private static func secretID(of header: Header) throws(MerchantTokenFault) -> String {
    guard header.algorithm == "HS256" else { throw .algorithm }
    guard header.type.map({ $0.uppercased() == "JWT" }) ?? true, !header.isCritical else { throw .header }
    guard MerchantSecret.isID(header.secretID) else { throw .secretID }
    return header.secretID
  }

  /// Verifies the signature and the claims, apart from the first use of `jti`.
  func claims(
    secret: MerchantSecret, merchant: String, now: Date
  ) throws(MerchantTokenFault) -> Claims {
    guard signature.count == 32,
      HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: signed, using: secret.key)
    else { throw .signature }
    let claims: Payload = try Self.decoded(payload)
    guard claims.issuer == "onside" else { throw .claim("iss") }
    guard claims.audience == ["onside"] else { throw .claim("aud") }
    guard claims.subject == merchant else { throw .claim("sub") }
    guard !claims.id.isEmpty else { throw .claim("jti") }
    try claims.checkTimes(now: now)
    let end = (claims.expiresAt + Self.memory).rounded(.up)
    return Claims(idHash: claims.id.sha256Base64URL, rememberedUntil: Date(timeIntervalSince1970: end))
  }

  private static func decoded<Value: Decodable>(_ part: [UInt8]) throws(MerchantTokenFault) -> Value {
    let json = Data(part)
    let value: Value
    do { value = try JSONDecoder().decode(Value.self, from: json) } catch { throw MerchantTokenFault(decoding: error) }
    guard !JSONNames.areRepeated(in: json) else { throw .form }
    return value
  }
}

/// The header (RFC 7515, section 4.1).
private struct Header: Decodable {
  let algorithm: String
  let secretID: String
  let type: String?
  /// Whether it has `crit`: names of extensions, of which the store has none.
  let isCritical: Bool

  private enum CodingKeys: String, CodingKey { case alg, kid, typ, crit }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    algorithm = try values.decode(String.self, forKey: .alg)
    secretID = try values.decodeIfPresent(String.self, forKey: .kid) ?? ""
    type = try values.decodeIfPresent(String.self, forKey: .typ)
    isCritical = values.contains(.crit)
  }
}

/// The claims (RFC 7519, section 4.1). Times are seconds since 1970.
private struct Payload: Decodable {
  let issuer: String
  let audience: [String]
  let subject: String
  let id: String
  let expiresAt: Double
  let notBefore: Double

  private enum CodingKeys: String, CodingKey { case iss, aud, sub, jti, exp, nbf }

  /// The latest time of a claim: the year 9999.
  private static let times = 0...253_402_300_799.0

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    issuer = try values.decode(String.self, forKey: .iss)
    // A single audience may be a text instead of a list.
    audience =
      try (try? values.decode(String.self, forKey: .aud)).map { [$0] } ?? values.decode([String].self, forKey: .aud)
    subject = try values.decode(String.self, forKey: .sub)
    id = try values.decode(String.self, forKey: .jti)
    expiresAt = try values.decode(Double.self, forKey: .exp)
    notBefore = try values.decode(Double.self, forKey: .nbf)
  }

  func checkTimes(now: Date) throws(MerchantTokenFault) {
    guard Self.times.contains(expiresAt) else { throw .claim("exp") }
    guard Self.times.contains(notBefore) else { throw .claim("nbf") }
    let window = expiresAt - notBefore
    guard window > 0, window <= MerchantToken.longestWindow else { throw .window(seconds: window) }
    let time = now.timeIntervalSince1970
    guard notBefore <= time + MerchantToken.tolerance else { throw .early(seconds: notBefore - time, now: now) }
    guard time < expiresAt + MerchantToken.tolerance else { throw .expired(seconds: time - expiresAt, now: now) }
  }
}
