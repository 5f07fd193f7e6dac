import OnsideCommerce

/// A language that the pages are written in.
package enum Language: String, CaseIterable, Sendable {
  case english = "en"
  case german = "de"
  case french = "fr"
  case spanish = "es"
  case dutch = "nl"
  case arabic = "ar"

  /// Which way its text runs, for the `dir` attribute.
  var direction: String { self == .arabic ? "rtl" : "ltr" }

  /// The first language of the lists that the pages are written in, each list with the best first; else English.
  package static func best(of preferences: [String]...) -> Language {
    for tag in preferences.joined() {
      if let language = Language(rawValue: LanguageTag(tag).language) { return language }
    }
    return .english
  }

  /// The tags of an `Accept-Language` header (RFC 9110, section 12.5.4), best first, refused ones left out.
  static func accepted(_ header: String?) -> [String] {
    let ranges = (header ?? "").prefix(512).split(separator: ",").compactMap {
      range -> (tag: String, weight: Double)? in
      let parts = range.split(separator: ";").map { String($0).filter { !$0.isWhitespace } }
      guard let tag = parts.first else { return nil }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      return weight > 0 ? (tag, weight) : nil
    }
    // The sort is by weight alone and must keep the order of equals, which `sorted` does not promise.
    return ranges.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
      .map(\.element.tag)
  }
}
