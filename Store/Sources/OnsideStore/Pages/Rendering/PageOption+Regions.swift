internal import Foundation
internal import OnsideCommerce

extension PageOption {
  /// Every country by its name in a language, in that language's order.
  static func regions(_ language: Language, chosen: CountryCode?) -> [PageOption] {
    let locale = Locale(identifier: language.rawValue)
    return CountryCode.all.map { country in
      PageOption(
        value: country.alpha2, label: country.localizedName(language: language.rawValue), isChosen: country == chosen)
    }
    .sorted { $0.label.compare($1.label, locale: locale) == .orderedAscending }
  }
}
