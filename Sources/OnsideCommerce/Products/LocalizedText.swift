/// A product's texts in one language.
public struct LocalizedText: Sendable, Hashable, Codable {
  /// The language, a BCP 47 tag: `en-US`.
  public var language: String
  /// The product's name.
  public var title: String
  /// What the product gives.
  public var description: String

  /// Texts in a language.
  public init(language: String, title: String, description: String) {
    self.language = language
    self.title = title
    self.description = description
  }

  /// The texts that a reader of the preferred languages (BCP 47 tags, best first) should see; nil only when there
  /// are none.
  ///
  /// Each preferred language is tried in turn: the same tag, then the same language and script, then the same
  /// language. When none fits, it is the default language by the same rule, else the first of the list.
  public static func bestMatch(
    preferring languages: [String], among texts: [LocalizedText], default fallback: String
  ) -> LocalizedText? {
    let available = texts.map { (text: $0, tag: LanguageTag($0.language)) }
    for wanted in (languages + [fallback]).map(LanguageTag.init) {
      let match =
        available.first { $0.tag == wanted }
        ?? available.first { $0.tag.language == wanted.language && $0.tag.likelyScript == wanted.likelyScript }
        ?? available.first { $0.tag.language == wanted.language }
      if let match { return match.text }
    }
    return texts.first
  }
}
