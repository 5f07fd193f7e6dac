import Foundation

/// A country or territory of ISO 3166-1, by its two-letter code.
public struct CountryCode: Sendable, Hashable {
  /// The two-letter code, upper case: `NL`.
  public let alpha2: String

  /// The country of a two-letter code in upper case; nil for anything else.
  public init?(alpha2: String) {
    guard CountryTable.byAlpha2[alpha2] != nil else { return nil }
    self.alpha2 = alpha2
  }

  /// The country of a code that a person or an app gave: trimmed and upper-cased first; nil when it names none.
  public init?(hint: String) {
    let trimmed = hint.trimmingCharacters(in: .whitespacesAndNewlines)
    // Upper-casing turns some other letters into ASCII ("ß" into "SS"); those hints name no country.
    guard trimmed.allSatisfy(\.isASCII) else { return nil }
    self.init(alpha2: trimmed.uppercased())
  }

  /// The country of a three-letter code in upper case, as `.storekit` files and reports have it.
  public init?(alpha3: String) {
    guard let row = CountryTable.byAlpha3[alpha3] else { return nil }
    self.init(row: row)
  }

  private init(row: CountryTable.Row) {
    alpha2 = row.alpha2
  }

  /// The three-letter code, upper case: `NLD`.
  public var alpha3: String { CountryTable.byAlpha2[alpha2]?.alpha3 ?? "" }

  /// The currency that prices in this country are usually given in.
  public var currency: Currency { CountryTable.byAlpha2[alpha2]?.currency ?? .usd }

  /// The country's name in a language (a BCP 47 tag); the code itself when that language has no name for it.
  public func localizedName(language: String) -> String {
    Locale(identifier: LanguageTag(language).description).localizedString(forRegionCode: alpha2) ?? alpha2
  }

  /// Every country, by two-letter code.
  public static let all: [CountryCode] = CountryTable.rows.map(CountryCode.init(row:))

  /// The Netherlands.
  public static let netherlands = CountryCode(row: CountryTable.netherlands)
  /// The United States of America.
  public static let unitedStates = CountryCode(row: CountryTable.unitedStates)
}

extension CountryCode: CustomStringConvertible {
  /// The two-letter code.
  public var description: String { alpha2 }
}

extension CountryCode: Comparable {
  /// Orders by two-letter code.
  public static func < (left: CountryCode, right: CountryCode) -> Bool { left.alpha2 < right.alpha2 }
}

extension CountryCode: Codable, CodingKeyRepresentable {
  /// Reads the two-letter code; any other text is refused.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let code = try container.decode(String.self)
    guard let country = CountryCode(alpha2: code) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected an ISO 3166-1 alpha-2 country code such as NL, got \"\(code)\"")
    }
    self = country
  }

  /// Writes the two-letter code.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(alpha2)
  }

  /// The code as a key, so that a dictionary by country is a JSON object.
  public var codingKey: any CodingKey { CountryKey(stringValue: alpha2) }

  /// The country of a key; nil when it is no two-letter code.
  public init?<Key: CodingKey>(codingKey: Key) {
    self.init(alpha2: codingKey.stringValue)
  }

  private struct CountryKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
