public import Foundation

/// What a purchase gives an account, as the store's signed list of entitlements tells it: a lasting product, or the
/// last paid period of a subscription.
public struct Entitlement: Sendable, Hashable {
  /// The product.
  public var productID: String
  /// What buying the product means; never a consumable.
  public var productType: ProductKind
  /// The subscription group; nil for everything else.
  public var subscriptionID: String?
  /// The order that gives it: of a subscription the one that paid the last period.
  public var orderID: UUID
  /// The first order of the chain that ``orderID`` renews; its own id otherwise.
  public var originalOrderID: UUID
  /// When ``orderID`` was paid.
  public var purchaseDate: Date
  /// When the paid period ends; nil for what lasts.
  public var expiresAt: Date?
  /// Until when access goes on behind ``expiresAt``, because the next payment is being made, or has failed and is tried
  /// again; nil otherwise.
  public var graceUntil: Date?
  /// When it was taken back, and why; nil while it stands.
  public var revocation: Revocation?
  /// Whether the subscription renews by itself; nil for everything else.
  public var willRenew: Bool?
  /// What the app attached to the payment, byte for byte.
  public var appAccountToken: String?

  /// An entitlement.
  public init(
    productID: String, productType: ProductKind, subscriptionID: String? = nil, orderID: UUID,
    originalOrderID: UUID? = nil, purchaseDate: Date, expiresAt: Date? = nil, graceUntil: Date? = nil,
    revocation: Revocation? = nil, willRenew: Bool? = nil, appAccountToken: String? = nil
  ) {
    self.productID = productID
    self.productType = productType
    self.subscriptionID = subscriptionID
    self.orderID = orderID
    self.originalOrderID = originalOrderID ?? orderID
    self.purchaseDate = purchaseDate
    self.expiresAt = expiresAt
    self.graceUntil = graceUntil
    self.revocation = revocation
    self.willRenew = willRenew
    self.appAccountToken = appAccountToken
  }

  /// When access ends: with the paid period, or with the grace period behind it; nil for what lasts.
  public var accessEnd: Date? { expiresAt.map { max($0, graceUntil ?? $0) } }

  /// Whether the account may use it at a moment. What was taken back it may never use, also by a clock that is behind
  /// the store's.
  public func isActive(at date: Date) -> Bool { revocation == nil && (accessEnd.map { date < $0 } ?? true) }
}

extension Entitlement: Codable {
  private enum CodingKeys: String, CodingKey {
    case appAccountToken = "app_account_token"
    case expiresAt = "expires_at"
    case graceUntil = "grace_until"
    case orderID = "order_id"
    case originalOrderID = "original_order_id"
    case productID = "product_id"
    case productType = "product_type"
    case purchaseDate = "purchase_date"
    case revocationDate = "revocation_date"
    case revocationReason = "revocation_reason"
    case subscriptionID = "subscription_id"
    case willRenew = "will_renew"
  }

  /// Reads the documented fields; unknown ones are left out, and nullable ones may be missing.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    let orderID = try fields.decode(UUID.self, forKey: .orderID)
    let revocation = try fields.momentIfPresent(forKey: .revocationDate).map { date in
      Revocation(
        date: date, reason: try fields.decodeIfPresent(RevocationReason.self, forKey: .revocationReason) ?? .refund)
    }
    self.init(
      productID: try fields.decode(String.self, forKey: .productID),
      productType: try fields.decode(ProductKind.self, forKey: .productType),
      subscriptionID: try fields.decodeIfPresent(String.self, forKey: .subscriptionID), orderID: orderID,
      originalOrderID: try fields.decodeIfPresent(UUID.self, forKey: .originalOrderID),
      purchaseDate: try fields.moment(forKey: .purchaseDate),
      expiresAt: try fields.momentIfPresent(forKey: .expiresAt),
      graceUntil: try fields.momentIfPresent(forKey: .graceUntil), revocation: revocation,
      willRenew: try fields.decodeIfPresent(Bool.self, forKey: .willRenew),
      appAccountToken: try fields.decodeIfPresent(String.self, forKey: .appAccountToken))
  }

  /// Writes the fields that have a value; the encoder's date strategy does not matter.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encodeIfPresent(appAccountToken, forKey: .appAccountToken)
    try fields.encodeIfPresent(expiresAt.map(RFC3339.text), forKey: .expiresAt)
    try fields.encodeIfPresent(graceUntil.map(RFC3339.text), forKey: .graceUntil)
    try fields.encode(orderID.uuidString.lowercased(), forKey: .orderID)
    try fields.encode(originalOrderID.uuidString.lowercased(), forKey: .originalOrderID)
    try fields.encode(productID, forKey: .productID)
    try fields.encode(productType, forKey: .productType)
    try fields.encode(RFC3339.text(purchaseDate), forKey: .purchaseDate)
    try fields.encodeIfPresent((revocation?.date).map(RFC3339.text), forKey: .revocationDate)
    try fields.encodeIfPresent(revocation?.reason, forKey: .revocationReason)
    try fields.encodeIfPresent(subscriptionID, forKey: .subscriptionID)
    try fields.encodeIfPresent(willRenew, forKey: .willRenew)
  }
}
