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
  /// Each preferred language is tried in turn: the same tag, then its parents by CLDR (`es-MX`, `es-419`, `es`), then
  /// the same language and script. Where none fits, the preferred languages are tried in another script. Else it is
  /// the default language by the same rule, else the first of the list.
  public static func bestMatch(
    preferring languages: [String], among texts: [LocalizedText], default fallback: String
  ) -> LocalizedText? {
    let available = texts.map { (text: $0, tag: LanguageTag($0.language)) }
    lazy var likelyForms = available.map(\.tag.likelyForms.first)
    func readable(_ wanted: LanguageTag) -> LocalizedText? {
      if let exact = available.first(where: { $0.tag == wanted }) { return exact.text }
      for form in wanted.likelyForms {
        if let index = likelyForms.firstIndex(of: form) { return available[index].text }
      }
      return available.first {
        $0.tag.language == wanted.language && $0.tag.likelyScript == wanted.likelyScript
      }?.text
    }
    func inAnyScript(_ wanted: LanguageTag) -> LocalizedText? {
      available.first { $0.tag.language == wanted.language }?.text
    }
    let (preferred, last) = (languages.map(LanguageTag.init), LanguageTag(fallback))
    return preferred.firstResult(readable) ?? preferred.firstResult(inAnyScript) ?? readable(last)
      ?? inAnyScript(last) ?? texts.first
  }
}

extension [LanguageTag] {
  fileprivate func firstResult(_ match: (LanguageTag) -> LocalizedText?) -> LocalizedText? {
    for tag in self { if let text = match(tag) { return text } }
    return nil
  }
}
