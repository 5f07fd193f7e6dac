import CEmbeddedTexts
import Foundation

/// The texts of a language as its file has them: `CEmbeddedTexts/Texts/en.json`.
struct LanguageFile: Decodable, Sendable {
  var texts: [TextKey: String] = [:]
  /// The words by the name of the unit: `month`.
  var periods: [String: PeriodWords] = [:]

  /// Every file, decoded once. One that could not be read would show the names of its texts; the files are part of the
  /// program, and `TextsTests` holds each of them complete.
  static let all = Dictionary(
    uniqueKeysWithValues: Language.allCases.map { ($0, (try? read($0)) ?? LanguageFile()) })

  /// Throws if a text has a name that is no ``TextKey``, or a unit lacks a form that every language has.
  static func read(_ language: Language) throws -> LanguageFile {
    try JSONDecoder().decode(LanguageFile.self, from: json(language))
  }

  /// The file of a language; empty if the build has embedded none.
  static func json(_ language: Language) -> Data {
    let file = embedded_text_of(language.rawValue)
    return Data(UnsafeBufferPointer(start: file.bytes, count: file.length))
  }
}
