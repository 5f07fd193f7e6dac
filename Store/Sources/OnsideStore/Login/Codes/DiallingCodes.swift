import OnsideCommerce

/// Which country a number belongs to: the longest known prefix of its digits (ITU-T E.164 list of assigned codes,
/// and the area codes of the North American Numbering Plan and other shared codes).
enum DiallingCodes {
  struct Match: Sendable {
    /// The dialling code proper, without an area code.
    let code: String
    /// The country; nil for Kosovo, which has a dialling code but no code in ISO 3166-1.
    let country: CountryCode?
    /// How many digits a number with this code has, the code included.
    let lengths: ClosedRange<Int>
  }

  /// The match of a number given as digits without `+`, or nil when no country has such a code.
  static func match(_ digits: String) -> Match? {
    guard let code = (1...3).lazy.map({ String(digits.prefix($0)) }).first(where: { codes.contains($0) }) else {
      return nil
    }
    let prefix = (code.count...7).reversed().lazy.map { String(digits.prefix($0)) }.first { countries[$0] != nil }
    return Match(code: code, country: prefix.flatMap { countries[$0] }, lengths: lengths(code))
  }

  /// The dialling code of a country, such as `31` for the Netherlands.
  static func code(of country: CountryCode) -> String? {
    let prefixes = countries.filter { $0.value == country }.keys
    guard let shortest = prefixes.min(by: { ($0.count, $0) < ($1.count, $1) }) else { return nil }
    return (1...3).lazy.map { String(shortest.prefix($0)) }.first { codes.contains($0) }
  }

  private static func lengths(_ code: String) -> ClosedRange<Int> {
    switch code {
    case "1", "7", "33": 11...11
    case "31", "32", "34": 10...12
    default: (code.count + 4)...15
    }
  }

  private static let countries: [String: CountryCode] = {
    var result: [String: CountryCode] = [:]
    for (name, prefixes) in mainRows + rows(PackageResources.shared_dialling_codes_txt) {
      guard let country = CountryCode(alpha2: name) else { continue }
      for prefix in prefixes { result[prefix] = country }
    }
    return result
  }()

  /// The codes proper; no code is the beginning of another one.
  private static let codes = Set(mainRows.flatMap(\.prefixes))

  /// Country codes that belong to one country, or to the main country of those that share it.
  private static let mainRows = rows(PackageResources.dialling_codes_txt)

  /// The lines of a table: a country, then its prefixes.
  private static func rows(_ table: [UInt8]) -> [(name: String, prefixes: [String])] {
    String(decoding: table, as: UTF8.self).split(whereSeparator: \.isNewline).map { line in
      let fields = line.split(separator: " ").map(String.init)
      return (fields.first ?? "", Array(fields.dropFirst()))
    }
  }
}
