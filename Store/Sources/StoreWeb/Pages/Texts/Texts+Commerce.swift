package import Foundation
package import OnsideAPI
package import OnsideCommerce

extension Texts {
  package func name(_ country: CountryCode) -> String { country.localizedName(language: language.rawValue) }

  package func kind(_ kind: ProductKind) -> String {
    switch kind {
    case .consumable: self[.kindConsumable]
    case .nonRenewingSubscription: self[.kindNonRenewing]
    case .autoRenewableSubscription: self[.kindSubscription]
    default: self[.kindNonConsumable]
    }
  }

  /// `1 week free, then € 9,99 per month`; what does not renew by itself adds `if you subscribe`.
  package func describe(_ offer: OfferMessage, of product: ProductMessage, renews: Bool) -> String {
    var words = ["price": recurringPrice(of: product), "duration": length(offer)]
    words["offer"] = offer.price.formatted.isolated
    guard renews else { return self(offer.mode == .freeTrial ? .offerFree : .offerPaid, words) }
    if offer.mode == .payAsYouGo {
      words["duration"] = length(offer.period, times: offer.periodCount)
      words["offer"] = "\(offer.price.formatted.isolated) \(rhythm(offer.period))"
    }
    return self(offer.mode == .freeTrial ? .offerFreeRenews : .offerPaidRenews, words)
  }

  /// How a subscription goes on: `Renews at € 9,99 per month until …`, or `Runs for 1 month and ends by itself.`, with
  /// the offer that it is bought with; nil for what is no subscription.
  ///
  /// - Parameter price: what each period costs without an offer; nil for the product's price.
  package func term(
    of product: ProductMessage, with offer: OfferMessage?, renews: Bool, at price: String? = nil
  ) -> String? {
    guard let period = product.subscriptionPeriod else { return nil }
    guard !renews else {
      let paid = offer == nil ? price : nil
      return self(.renewsUntilCancelled, ["price": recurringPrice(of: product, at: paid)])
    }
    return self(.endsAfter, ["duration": offer.map { length($0) } ?? length(period)])
  }

  /// `€ 9,99 per month`.
  private func recurringPrice(of product: ProductMessage, at price: String? = nil) -> String {
    let price = (price ?? product.price.formatted).isolated
    return product.subscriptionPeriod.map { "\(price) \(rhythm($0))" } ?? price
  }

  /// `Start free week`; nil for an offer that costs something.
  package func startTrial(_ offer: OfferMessage) -> String? {
    offer.mode == .freeTrial ? startTrial(offer.period, times: offer.periodCount) : nil
  }

  /// How long one payment at the offer's price lasts, as ``OfferMessage/firstExpiry(from:)`` counts it.
  private func length(_ offer: OfferMessage) -> String {
    length(offer.period, times: offer.mode == .payAsYouGo ? 1 : offer.periodCount)
  }

  /// A day in UTC in the format of a region and the language: `20 Nov 2026` in Ireland, `Nov 20, 2026` in the United
  /// States. It stays on one line.
  package func day(_ date: Date, in country: CountryCode) -> String {
    let locale = Locale.Components(
      languageCode: .init(language.rawValue), script: nil, languageRegion: .init(country.alpha2))
    let style = Date.FormatStyle(
      date: .abbreviated, time: .omitted, locale: Locale(components: locale),
      calendar: Calendar(identifier: .gregorian), timeZone: .gmt)
    return date.formatted(style).replacing(" ", with: "\u{00A0}")
  }

  /// A rate in hundredths of a percent as people of a region write it: `25,5 %` in Finland.
  package func rate(_ basisPoints: Int64, in country: CountryCode) -> String {
    let locale = Locale.Components(
      languageCode: .init(language.rawValue), script: nil, languageRegion: .init(country.alpha2))
    return (Decimal(basisPoints) / 10_000).formatted(
      .percent.locale(Locale(components: locale)).precision(.fractionLength(0...2)))
  }
}
