/// The answer of ``Route/offerings``: groups of products that the operator has put together.
public struct OfferingsMessage: Hashable, Sendable, Codable {
  /// The id of the offering that the operator wants to be shown; nil for none.
  public var current: String?
  /// The offerings, in the operator's order.
  public var offerings: [OfferingMessage]

  /// Makes an answer.
  public init(current: String?, offerings: [OfferingMessage]) {
    self.current = current
    self.offerings = offerings
  }
}

/// A named group of products, with what the operator wants to tell the app about it.
public struct OfferingMessage: Hashable, Sendable, Codable {
  /// Its name within the app.
  public var id: String
  /// Texts by name, for the app alone: a headline, the name of a layout.
  public var metadata: [String: String]
  /// Its products, in the operator's order; some may not be sold in the caller's region.
  public var productIDs: [String]

  enum CodingKeys: String, CodingKey {
    case id, metadata
    case productIDs = "product_ids"
  }

  /// Makes an offering.
  public init(id: String, metadata: [String: String] = [:], productIDs: [String]) {
    self.id = id
    self.metadata = metadata
    self.productIDs = productIDs
  }
}
