package import OnsideAPI
package import OnsideCommerce

extension OnsideProduct {
  /// A product as the store tells it for a region.
  package init(_ message: ProductMessage, in country: CountryCode? = nil) {
    self.init(
      productIdentifier: message.id, localizedTitle: message.title, localizedDescription: message.description,
      iconUrl: message.iconURL, subscriptionGroupIdentifier: message.subscriptionGroupID,
      subscriptionPeriod: message.subscriptionPeriod.map(OnsidePeriod.init), price: OnsidePrice(message.price),
      introductoryPrice: message.offers.first { $0.kind == .introductory }.map(OnsidePricePeriod.init),
      productType: message.kind, storefrontCountryCode: country?.alpha2,
      offers: message.offers.map(OnsideProductOffer.init))
  }
}

extension OnsidePrice {
  /// A price as the store tells it.
  init(_ message: PriceMessage) {
    self.init(money: message.money, formatted: message.formatted)
  }
}

extension OnsidePricePeriod {
  /// An offer as the store tells it.
  init(_ message: OfferMessage) {
    self.init(
      price: OnsidePrice(message.price), period: OnsidePeriod(message.period), paymentMode: message.mode,
      numberOfPeriods: message.periodCount)
  }
}

extension OnsideProductOffer {
  /// An offer as the store tells it.
  init(_ message: OfferMessage) {
    self.init(offerIdentifier: message.id, kind: message.kind, terms: OnsidePricePeriod(message))
  }
}

extension OnsidePeriod {
  /// The published form of a period.
  init(_ period: Period) {
    let count = UInt(period.count)
    self =
      switch period.unit {
      case .day: .day(count)
      case .week: .week(count)
      case .month: .month(count)
      case .year: .year(count)
      }
  }
}
