/// The offer that a subscription's period was paid with.
public struct PurchaseOffer: Sendable, Hashable {
  /// Its identifier within the product.
  public var id: String
  /// Who could have it.
  public var kind: OfferKind

  /// Names an offer.
  public init(id: String, kind: OfferKind) {
    self.id = id
    self.kind = kind
  }
}
