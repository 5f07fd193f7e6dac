public import Foundation

/// What an account may use in an app: the payload of the signed list of entitlements.
///
/// On the wire a compact JWS (RFC 7515, ES256) whose header has the `typ` ``EntitlementList/type``, so that no other
/// document of the store's key can be taken for a list.
public struct EntitlementList: Sendable, Hashable {
  /// The app.
  public var bundleID: String
  /// Whether real money was paid.
  public var environment: PurchaseEnvironment
  /// Which account of the app: a name that only this app's lists have for it (a pairwise subject identifier, OpenID
  /// Connect Core, section 8.1).
  public var subject: String
  /// When the store read its books for this.
  public var issuedAt: Date
  /// Until when the list may be used without a newer one.
  public var validUntil: Date
  /// The nonce of the request that it answers, which shows that the list was made for it; nil for a request without.
  public var nonce: String?
  /// What the account has or had, the oldest purchase first: each lasting product, and the last period of each
  /// subscription. No consumables and no non-renewing subscriptions: they are in the signed history.
  public var entitlements: [Entitlement]

  /// The `typ` of the header of a signed list (RFC 7515, section 4.1.9).
  public static let type = "onside-entitlements+jwt"

  /// How long a list may be used without a newer one, in seconds: 90 days. Subscriptions in it end by themselves.
  public static let lifetime: TimeInterval = 90 * 86_400

  /// A list.
  public init(
    bundleID: String, environment: PurchaseEnvironment, subject: String, issuedAt: Date, validUntil: Date,
    nonce: String? = nil, entitlements: [Entitlement]
  ) {
    self.bundleID = bundleID
    self.environment = environment
    self.subject = subject
    self.issuedAt = issuedAt
    self.validUntil = validUntil
    self.nonce = nonce
    self.entitlements = entitlements
  }
}

extension EntitlementList: Codable {
  private enum CodingKeys: String, CodingKey {
    case bundleID = "bundle_id"
    case entitlements
    case environment
    case issuedAt = "issued_at"
    case nonce
    case subject
    case validUntil = "valid_until"
  }

  /// Reads the documented fields; unknown ones are left out.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      bundleID: try fields.decode(String.self, forKey: .bundleID),
      environment: try fields.decode(PurchaseEnvironment.self, forKey: .environment),
      subject: try fields.decode(String.self, forKey: .subject), issuedAt: try fields.moment(forKey: .issuedAt),
      validUntil: try fields.moment(forKey: .validUntil),
      nonce: try fields.decodeIfPresent(String.self, forKey: .nonce),
      entitlements: try fields.decode([Entitlement].self, forKey: .entitlements))
  }

  /// Writes the fields that have a value; the encoder's date strategy does not matter.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(bundleID, forKey: .bundleID)
    try fields.encode(entitlements, forKey: .entitlements)
    try fields.encode(environment, forKey: .environment)
    try fields.encode(RFC3339.text(issuedAt), forKey: .issuedAt)
    try fields.encodeIfPresent(nonce, forKey: .nonce)
    try fields.encode(subject, forKey: .subject)
    try fields.encode(RFC3339.text(validUntil), forKey: .validUntil)
  }
}
