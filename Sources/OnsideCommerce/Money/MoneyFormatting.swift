import Foundation

extension Money {
  /// The amount as people of a country write it, in a language, with all of the currency's decimal places.
  ///
  /// `language` is a BCP 47 tag; a region in it gives way to `country`, which decides separators and the place of
  /// the symbol. The decimal places are those of ISO 4217, so that the text never shows a rounded price.
  public func formatted(country: CountryCode, language: String) -> String {
    let tag = LanguageTag(language)
    let components = Locale.Components(
      languageCode: .init(tag.language), script: tag.script.map { .init($0) }, languageRegion: .init(country.alpha2))
    return decimal.formatted(
      .currency(code: currency.code)
        .locale(Locale(components: components))
        .precision(.fractionLength(currency.exponent)))
  }
}
