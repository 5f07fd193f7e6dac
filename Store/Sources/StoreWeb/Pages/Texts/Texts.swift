import Foundation
import OnsideCommerce

/// The texts of the pages in one language.
package struct Texts: Sendable {
  package let language: Language
  private let file: LanguageFile

  package init(_ language: Language) {
    self.language = language
    file = LanguageFile.all[language] ?? LanguageFile()
  }

  /// A text as it stands.
  package subscript(key: TextKey) -> String { file.texts[key] ?? key.rawValue }

  /// A text with its words in braces replaced: `texts(.codeLead, ["number": "+31 6"])`.
  package func callAsFunction(_ key: TextKey, _ words: [String: String]) -> String {
    words.reduce(self[key]) { $0.replacing("{\($1.key)}", with: $1.value) }
  }

  /// A waiting time, rounded up to what a person would say.
  package func wait(_ seconds: Int) -> String {
    switch seconds {
    case ..<90: self(.waitSeconds, ["n": String(max(1, seconds))])
    case ..<5400: self(.waitMinutes, ["n": String((seconds + 59) / 60)])
    default: self(.waitHours, ["n": String((seconds + 3599) / 3600)])
    }
  }

  /// All texts by name, for the templates.
  var byName: [String: String] {
    Dictionary(uniqueKeysWithValues: TextKey.allCases.map { ($0.rawValue, self[$0]) })
  }

  /// The words for lengths of time in a unit; nil for a unit without words.
  func words(_ unit: Period.Unit) -> PeriodWords? { file.periods[unit.rawValue] }
}
