import Foundation

/// The texts of the pages in one language.
struct Texts: Sendable {
  let language: Language
  private let table: [TextKey: String]

  init(_ language: Language) {
    self.language = language
    table = Self.tables[language] ?? [:]
  }

  /// A text as it stands.
  subscript(key: TextKey) -> String { table[key] ?? key.rawValue }

  /// A text with its words in braces replaced: `texts(.codeLead, ["number": "+31 6"])`.
  func callAsFunction(_ key: TextKey, _ words: [String: String]) -> String {
    words.reduce(self[key]) { $0.replacing("{\($1.key)}", with: $1.value) }
  }

  /// A waiting time, rounded up to what a person would say.
  func wait(_ seconds: Int) -> String {
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

  static let tables: [Language: [TextKey: String]] = [
    .english: english, .german: german, .french: french, .spanish: spanish, .dutch: dutch, .arabic: arabic,
  ]
}
