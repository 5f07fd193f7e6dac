import Foundation

/// The language, script and region of a BCP 47 tag; `en_US` and other spellings with underscores are read as well.
public struct LanguageTag: Sendable, Hashable {
  /// The language, lower case, in its current code (`he`, not `iw`).
  public let language: String
  /// The four-letter script, when the tag names one.
  public let script: String?
  /// The region, when the tag names one: two letters, upper case, or three digits.
  public let region: String?

  /// Reads a tag; variants and extensions, such as `-u-nu-latn` or `@calendar=…`, are left out.
  public init(_ tag: String) {
    let plain = tag.prefix { $0 != "@" && $0 != "." }
    var parts = plain.split { $0 == "-" || $0 == "_" }[...]
    let base = parts.popFirst().map { $0.lowercased() } ?? "und"
    language = Self.currentCodes[base] ?? base
    script = parts.first.flatMap { $0.count == 4 && $0.allSatisfy(\.isLetter) ? $0.capitalized : nil }
    if script != nil { parts = parts.dropFirst() }
    region = parts.first.flatMap { Self.isRegion($0) ? $0.uppercased() : nil }
  }

  /// The script that the text is written in: the named one, else the likely one (`zh-TW` is written in `Hant`).
  public var likelyScript: String? {
    script ?? Locale.Language(identifier: description).script?.identifier
  }

  /// The tag and its parents by CLDR, each with its likely script and region: `es-MX` is `es-Latn-MX`, `es-Latn-419`,
  /// `es-Latn-ES`.
  var likelyForms: [String] {
    guard language != "und" else { return [] }
    let tags = sequence(first: Locale.Language(identifier: description), next: \.parent)
    // The parent of a tag without one is the root, which is its own parent.
    return tags.prefix(6).prefix { $0.minimalIdentifier != "root" }.map(\.maximalIdentifier)
  }

  private static func isRegion(_ part: Substring) -> Bool {
    (part.count == 2 && part.allSatisfy { $0.isASCII && $0.isLetter })
      || (part.count == 3 && part.allSatisfy { $0.isASCII && $0.isNumber })
  }

  /// Codes that systems still send, and what they are now.
  private static let currentCodes = ["iw": "he", "in": "id", "ji": "yi", "no": "nb", "tl": "fil"]
}

extension LanguageTag: CustomStringConvertible {
  /// The tag in its usual spelling: `zh-Hant-TW`.
  public var description: String { [language, script, region].compactMap(\.self).joined(separator: "-") }
}
