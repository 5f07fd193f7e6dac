public import OnsideCommerce

/// An offer of a subscription that the account may have. An addition to the published API.
///
/// The introductory one needs no name: its price is that of every first purchase. To buy with another one, pass its
/// identifier to ``OnsidePaymentQueue/purchase(_:appAccountToken:quantity:offer:)``; a promotional one needs a
/// signature of the app's server as well. Offers of codes are redeemed on the store's page, and are not among these.
public struct OnsideProductOffer: Sendable, Hashable, Codable {
  /// The offer's identifier within its product.
  public let offerIdentifier: String
  /// Introductory, win-back or promotional.
  public let kind: OfferKind
  /// Its price, period and way to pay.
  public let terms: OnsidePricePeriod

  /// Makes an offer, for an app's own tests and previews.
  public init(offerIdentifier: String, kind: OfferKind, terms: OnsidePricePeriod) {
    self.offerIdentifier = offerIdentifier
    self.kind = kind
    self.terms = terms
  }
}

/// The offer that a payment is to be made with. An addition to the published API.
public struct OnsidePaymentOffer: Sendable, Hashable, Codable {
  /// The offer's identifier within the product, as in ``OnsideProductOffer/offerIdentifier``.
  public let offerIdentifier: String
  /// For a promotional offer: what the app's server has signed for this purchase, a compact JWS. It names the user by
  /// the purchase's ``OnsidePayment/appAccountToken``.
  public let signature: String?

  /// Names an offer.
  public init(offerIdentifier: String, signature: String? = nil) {
    self.offerIdentifier = offerIdentifier
    self.signature = signature
  }
}

/// An offer that the account may have now, by the product that it is one of. An addition to the published API.
public struct OnsideAvailableOffer: Sendable, Hashable, Codable {
  /// The product.
  public let productIdentifier: String
  /// The offer's identifier within it, as in ``OnsideProductOffer/offerIdentifier``.
  public let offerIdentifier: String

  /// Names an offer, for an app's own tests and previews.
  public init(productIdentifier: String, offerIdentifier: String) {
    self.productIdentifier = productIdentifier
    self.offerIdentifier = offerIdentifier
  }
}
