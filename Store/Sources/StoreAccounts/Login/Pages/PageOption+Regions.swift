import Foundation
package import OnsideCommerce
package import StoreWeb

extension PageOption {
  /// Every country by its name in a language, in that language's order.
  package static func regions(_ language: Language, chosen: CountryCode?) -> [PageOption] {
    (names[language] ?? []).map { country, name in
      PageOption(value: country.alpha2, label: name, isChosen: country == chosen)
    }
  }

  /// The countries with telephones, by name and country code: `Nederland +31`.
  static func diallingCodes(_ language: Language, chosen: CountryCode) -> [PageOption] {
    (names[language] ?? []).compactMap { country, name in
      DiallingCodes.code(of: country).map { code in
        PageOption(
          value: country.alpha2, label: "\(name) \("+\(code)".isolated)", isChosen: country == chosen)
      }
    }
  }

  /// Sorted once: comparing by a language's rules is slow.
  private static let names = Dictionary(
    uniqueKeysWithValues: Language.allCases.map { language in
      let locale = Locale(identifier: language.rawValue)
      let names = CountryCode.all.map { ($0, $0.localizedName(language: language.rawValue)) }
      return (language, names.sorted { $0.1.compare($1.1, locale: locale) == .orderedAscending })
    })
}
