import Foundation

extension InAppPurchase: Codable {
  private enum CodingKeys: String, CodingKey {
    case appAccountToken = "app_account_token"
    case bundleID = "bundle_id"
    case currency
    case environment
    case expiresAt = "expires_at"
    case fetchedAt = "fetched_at"
    case offerID = "offer_id"
    case offerKind = "offer_kind"
    case orderID = "order_id"
    case originalOrderID = "original_order_id"
    case originalPurchaseDate = "original_purchase_date"
    case price
    case productID = "product_id"
    case productSlug = "product_slug"
    case productType = "product_type"
    case purchaseDate = "purchase_date"
    case quantity
    case reinstates
    case revocationDate = "revocation_date"
    case revocationReason = "revocation_reason"
    case subject
    case subscriptionID = "subscription_id"
    case taxAmount = "tax_amount"
    case transactionReason = "transaction_reason"
    case userCountry = "user_country"
  }

  /// Reads the documented fields; unknown ones are left out, and nullable ones may be missing.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    appAccountToken = try fields.decodeIfPresent(String.self, forKey: .appAccountToken)
    bundleID = try fields.decode(String.self, forKey: .bundleID)
    price = Money(
      minorUnits: try fields.decode(Int64.self, forKey: .price),
      currency: try fields.decode(Currency.self, forKey: .currency))
    environment = try fields.decodeIfPresent(PurchaseEnvironment.self, forKey: .environment)
    expiresAt = try fields.momentIfPresent(forKey: .expiresAt)
    fetchedAt = try fields.moment(forKey: .fetchedAt)
    offer = try fields.decodeIfPresent(String.self, forKey: .offerID).map { id in
      PurchaseOffer(id: id, kind: try fields.decode(OfferKind.self, forKey: .offerKind))
    }
    orderID = try fields.decode(UUID.self, forKey: .orderID)
    originalOrderID = try fields.decode(UUID.self, forKey: .originalOrderID)
    originalPurchaseDate = try fields.moment(forKey: .originalPurchaseDate)
    productID = try fields.decode(String.self, forKey: .productID)
    productSlug = try fields.decodeIfPresent(String.self, forKey: .productSlug)
    productType = try fields.decode(ProductKind.self, forKey: .productType)
    purchaseDate = try fields.moment(forKey: .purchaseDate)
    quantity = try fields.decode(Int.self, forKey: .quantity)
    guard quantity >= 1 else {
      throw DecodingError.dataCorruptedError(
        forKey: .quantity, in: fields, debugDescription: "expected a quantity of at least 1, got \(quantity)")
    }
    reinstates = try fields.decodeIfPresent(UUID.self, forKey: .reinstates)
    revocation = try fields.momentIfPresent(forKey: .revocationDate).map { date in
      Revocation(
        date: date, reason: try fields.decodeIfPresent(RevocationReason.self, forKey: .revocationReason) ?? .refund)
    }
    subject = try fields.decodeIfPresent(String.self, forKey: .subject)
    subscriptionID = try fields.decodeIfPresent(String.self, forKey: .subscriptionID)
    let currency = price.currency
    tax = try fields.decodeIfPresent(Int64.self, forKey: .taxAmount).map { Money(minorUnits: $0, currency: currency) }
    transactionReason = try fields.decode(TransactionReason.self, forKey: .transactionReason)
    userCountry = try fields.decode(CountryCode.self, forKey: .userCountry)
  }

  /// Writes every documented field, `null` where there is no value, and offer, `reinstates`, subject and tax
  /// where there are some. The encoder's date strategy does not matter.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(appAccountToken, forKey: .appAccountToken)
    try fields.encode(bundleID, forKey: .bundleID)
    try fields.encode(price.currency, forKey: .currency)
    try fields.encode(environment, forKey: .environment)
    try fields.encode(expiresAt.map(RFC3339.text), forKey: .expiresAt)
    try fields.encode(RFC3339.text(fetchedAt), forKey: .fetchedAt)
    try fields.encodeIfPresent(offer?.id, forKey: .offerID)
    try fields.encodeIfPresent(offer?.kind, forKey: .offerKind)
    try fields.encode(orderID.uuidString.lowercased(), forKey: .orderID)
    try fields.encode(originalOrderID.uuidString.lowercased(), forKey: .originalOrderID)
    try fields.encode(RFC3339.text(originalPurchaseDate), forKey: .originalPurchaseDate)
    try fields.encode(price.minorUnits, forKey: .price)
    try fields.encode(productID, forKey: .productID)
    try fields.encode(productSlug, forKey: .productSlug)
    try fields.encode(productType, forKey: .productType)
    try fields.encode(RFC3339.text(purchaseDate), forKey: .purchaseDate)
    try fields.encode(quantity, forKey: .quantity)
    try fields.encodeIfPresent(reinstates?.uuidString.lowercased(), forKey: .reinstates)
    try fields.encode((revocation?.date).map(RFC3339.text), forKey: .revocationDate)
    try fields.encode(revocation?.reason, forKey: .revocationReason)
    try fields.encodeIfPresent(subject, forKey: .subject)
    try fields.encode(subscriptionID, forKey: .subscriptionID)
    try fields.encodeIfPresent(tax?.minorUnits, forKey: .taxAmount)
    try fields.encode(transactionReason, forKey: .transactionReason)
    try fields.encode(userCountry, forKey: .userCountry)
  }
}
