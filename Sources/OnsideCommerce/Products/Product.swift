public import Foundation

/// Something that an app sells.
public struct Product: Sendable, Hashable, Codable {
  /// The identifier that the app asks for.
  public var id: String
  /// What buying it means.
  public var kind: ProductKind
  /// The merchant's own name for it.
  public var referenceName: String
  /// The texts that buyers see.
  public var localizations: [LocalizedText]
  /// The price by country. It is sold exactly where it has a price.
  public var prices: [CountryCode: Money]
  /// What makes it an auto-renewing subscription; nil for every other kind.
  public var subscription: Subscription?
  /// The address of a picture.
  public var iconURL: URL?
  /// True when a family may share it.
  public var familyShareable: Bool

  /// A product; without prices it is sold nowhere.
  public init(
    id: String, kind: ProductKind, referenceName: String = "", localizations: [LocalizedText] = [],
    prices: [CountryCode: Money] = [:], subscription: Subscription? = nil, iconURL: URL? = nil,
    familyShareable: Bool = false
  ) {
    self.id = id
    self.kind = kind
    self.referenceName = referenceName
    self.localizations = localizations
    self.prices = prices
    self.subscription = subscription
    self.iconURL = iconURL
    self.familyShareable = familyShareable
  }

  /// The price in a country (per period for a subscription); nil when it is not sold there.
  public func price(in country: CountryCode) -> Money? { prices[country] }

  /// The price of one period of an offer in a country; nil when the offer cannot be had there.
  public func price(of offer: Offer, in country: CountryCode) -> Money? {
    guard let regular = prices[country] else { return nil }
    return offer.mode == .freeTrial ? .zero(regular.currency) : offer.prices[country]
  }

  /// The texts for a reader of the preferred languages, best first, else those of the default language.
  ///
  /// A product without any texts shows its reference name.
  public func text(preferring languages: [String], default fallback: String) -> LocalizedText {
    LocalizedText.bestMatch(preferring: languages, among: localizations, default: fallback)
      ?? LocalizedText(language: fallback, title: referenceName.isEmpty ? id : referenceName, description: "")
  }
}
