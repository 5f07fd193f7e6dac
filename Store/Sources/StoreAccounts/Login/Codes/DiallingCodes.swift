import OnsideCommerce

/// The countries of dialling codes: country codes of the numbering plans, and the area codes that tell apart the
/// countries of a shared country code, as in the North American Numbering Plan.
enum DiallingCodes {
  /// The country of a number given as digits without `+`: that of the longest known prefix. Nil for Kosovo, which has a
  /// dialling code but no code in ISO 3166-1.
  static func country(of digits: some StringProtocol) -> CountryCode? {
    (1...7).reversed().lazy.compactMap { countries[String(digits.prefix($0))] }.first
  }

  /// The country code of a country, such as `31` for the Netherlands.
  static func code(of country: CountryCode) -> String? {
    if let plan = NumberingPlans.plan(of: country) { return plan.code }
    let area = sharedRows.first { $0.name == country.alpha2 }?.prefixes.first
    return area.flatMap { NumberingPlans.plan(ofInternational: $0)?.code }
  }

  private static let countries: [String: CountryCode] = {
    var result: [String: CountryCode] = [:]
    for plan in NumberingPlans.all where result[plan.code] == nil {
      result[plan.code] = CountryCode(alpha2: plan.region)
    }
    for (name, prefixes) in sharedRows {
      guard let country = CountryCode(alpha2: name) else { continue }
      for prefix in prefixes { result[prefix] = country }
    }
    return result
  }()

  /// The lines of the table of area codes: a country, then its prefixes.
  private static let sharedRows: [(name: String, prefixes: [String])] =
    String(decoding: PackageResources.shared_dialling_codes_txt, as: UTF8.self).split(whereSeparator: \.isNewline)
    .map { line in
      let fields = line.split(separator: " ").map(String.init)
      return (fields.first ?? "", Array(fields.dropFirst()))
    }
}
