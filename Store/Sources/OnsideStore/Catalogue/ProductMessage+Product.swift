import OnsideAPI
import OnsideCommerce

extension ProductMessage {
  /// A product for a reader in a region; nil when it is not sold there.
  init?(_ product: Product, in country: CountryCode, languages: [String], defaultLanguage: String) {
    guard let price = product.price(in: country) else { return nil }
    let language = languages.first ?? defaultLanguage
    let text = product.text(preferring: languages, default: defaultLanguage)
    self.init(
      id: product.id, kind: product.kind, title: text.title, description: text.description, iconURL: product.iconURL,
      price: PriceMessage(price, formatted: price.formatted(country: country, language: language)),
      subscriptionGroupID: product.subscription?.groupID, subscriptionPeriod: product.subscription?.period)
  }
}
