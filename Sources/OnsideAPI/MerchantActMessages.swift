public import OnsideCommerce

/// The body of ``Route/merchantRefund``.
public struct MerchantRefundRequest: Hashable, Sendable, Codable {
  /// The amount in the currency's smallest unit; nil for the unrefunded part of the price.
  public var amount: Int64?
  /// `REFUND` or `SUPPORT`; nil for `REFUND`.
  public var reason: RevocationReason?

  /// Makes a request.
  public init(amount: Int64? = nil, reason: RevocationReason? = nil) {
    (self.amount, self.reason) = (amount, reason)
  }
}

/// The body of ``Route/merchantGrant``.
public struct MerchantGrantRequest: Hashable, Sendable, Codable {
  /// The product.
  public var productID: String
  /// A revoked order of the product that is granted again.
  public var reinstates: OrderID?
  /// The cause, for the audit.
  public var cause: String?

  enum CodingKeys: String, CodingKey {
    case reinstates, cause
    case productID = "product_id"
  }

  /// Makes a request.
  public init(productID: String, reinstates: OrderID? = nil, cause: String? = nil) {
    (self.productID, self.reinstates, self.cause) = (productID, reinstates, cause)
  }
}

/// The body of ``Route/merchantExtension``.
public struct MerchantExtensionRequest: Hashable, Sendable, Codable {
  /// Days of 24 hours after the present end.
  public var days: Int

  /// Makes a request.
  public init(days: Int) { self.days = days }
}
