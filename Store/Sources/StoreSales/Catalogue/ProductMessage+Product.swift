import Foundation
import OnsideAPI
import OnsideCommerce

extension ProductMessage {
  /// A product for a reader in a region, with the introductory offer that new subscribers have there; nil when it is
  /// not sold there.
  init?(_ product: Product, in country: CountryCode, languages: [String], defaultLanguage: String) {
    guard let price = product.price(in: country) else { return nil }
    let language = languages.first ?? defaultLanguage
    let text = product.text(preferring: languages, default: defaultLanguage)
    self.init(
      id: product.id, kind: product.kind, title: text.title, description: text.description, iconURL: product.iconURL,
      price: PriceMessage(price, formatted: price.formatted(country: country, language: language)),
      subscriptionGroupID: product.subscription?.groupID, subscriptionPeriod: product.subscription?.period,
      subscriptionLevel: product.subscription?.level,
      subscriptionGraceDays: product.subscription?.graceDays,
      offers: [product.subscription?.introductoryOffer].compactMap {
        $0.flatMap { OfferMessage($0, of: product, in: country, language: language) }
      })
  }

  /// The offer for accounts that never subscribed in the product's group.
  var introductoryOffer: OfferMessage? { offers.first { $0.kind == .introductory } }

  /// The same without offers, for accounts that may not use them any more.
  var withoutOffers: ProductMessage {
    var product = self
    product.offers = []
    return product
  }
}

extension OfferMessage {
  /// An offer for a reader in a region; nil when it cannot be had there.
  init?(_ offer: Offer, of product: Product, in country: CountryCode, language: String) {
    guard let price = product.price(of: offer, in: country) else { return nil }
    self.init(
      id: offer.id, kind: offer.kind, mode: offer.mode, period: offer.period, periodCount: offer.periodCount,
      price: PriceMessage(price, formatted: price.formatted(country: country, language: language)))
  }

  /// When what is paid at the start of the offer ends.
  func firstExpiry(from date: Date) -> Date {
    period.adding(to: date, times: mode == .payAsYouGo ? 1 : periodCount)
  }
}
