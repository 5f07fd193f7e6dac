/// Who can redeem the codes of an offer, by what they have subscribed to in the product's group.
public struct OfferCustomer: RawRepresentable, Sendable, Hashable, Codable {
  /// The name in a catalogue.
  public let rawValue: String

  /// A kind of customer by its name; unknown names are kept.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Accounts that never subscribed in the group.
  public static let new = OfferCustomer(rawValue: "new")
  /// Accounts with a subscription.
  public static let active = OfferCustomer(rawValue: "active")
  /// Accounts whose subscription is over.
  public static let expired = OfferCustomer(rawValue: "expired")
}
