import Foundation

/// The claims of an ID token (OpenID Connect Core, section 2). Times are seconds since 1970.
struct IDTokenClaims: Decodable, Sendable {
  var issuer: String
  var subject: String
  var audience: [String]
  var authorizedParty: String?
  var nonce: String?
  var expiresAt: Double
  var issuedAt: Double
  var notBefore: Double?
  /// When the provider last authenticated the person (`auth_time`); nil when the claim is missing.
  var authenticatedAt: Double?
  /// The person's e-mail address. It is a label only; no decision depends on it.
  var email: String?

  enum CodingKeys: String, CodingKey {
    case issuer = "iss"
    case subject = "sub"
    case audience = "aud"
    case authorizedParty = "azp"
    case nonce
    case expiresAt = "exp"
    case issuedAt = "iat"
    case notBefore = "nbf"
    case authenticatedAt = "auth_time"
    case email
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    issuer = try values.decode(String.self, forKey: .issuer)
    subject = try values.decode(String.self, forKey: .subject)
    // A single audience may be a string instead of a list.
    audience =
      try (try? values.decode(String.self, forKey: .audience)).map { [$0] }
      ?? values.decode([String].self, forKey: .audience)
    authorizedParty = try values.decodeIfPresent(String.self, forKey: .authorizedParty)
    nonce = try values.decodeIfPresent(String.self, forKey: .nonce)
    expiresAt = try values.decode(Double.self, forKey: .expiresAt)
    issuedAt = try values.decode(Double.self, forKey: .issuedAt)
    notBefore = try values.decodeIfPresent(Double.self, forKey: .notBefore)
    authenticatedAt = try values.decodeIfPresent(Double.self, forKey: .authenticatedAt)
    email = try? values.decodeIfPresent(String.self, forKey: .email)
  }

  /// The masked e-mail address, which only its owner recognises.
  var label: String? { email.flatMap { try? EmailAddress(parsing: $0) }?.masked }
}

/// The expected claims of the ID token of one login.
struct IDTokenExpectation: Sendable {
  var issuer: String
  var clientID: String
  var nonce: String
  /// The current time, by the real clock, which the provider uses, too.
  var now: Date

  /// The largest accepted difference of the two clocks, in seconds.
  static let leeway: TimeInterval = 60
  /// The greatest age of a token, in seconds: each login gets a fresh one.
  static let maximumAge: TimeInterval = 600

  func check(_ claims: IDTokenClaims) throws(IDTokenFault) {
    guard claims.issuer == issuer else { throw .issuer }
    guard claims.audience.contains(clientID) else { throw .audience }
    guard claims.audience.count == 1 || claims.authorizedParty != nil else { throw .authorizedParty }
    guard claims.authorizedParty == nil || claims.authorizedParty == clientID else { throw .authorizedParty }
    guard claims.nonce == nonce else { throw .nonce }
    let now = now.timeIntervalSince1970
    guard claims.expiresAt > now - Self.leeway else { throw .expired }
    guard max(claims.issuedAt, claims.notBefore ?? 0) < now + Self.leeway else { throw .notYetValid }
    guard claims.issuedAt > now - Self.maximumAge else { throw .tooOld }
    if let asked = claims.authenticatedAt {
      guard asked >= 0, asked < now + Self.leeway else { throw .authenticationTime }
    }
    guard (1...255).contains(claims.subject.utf8.count) else { throw .subject }
  }
}
