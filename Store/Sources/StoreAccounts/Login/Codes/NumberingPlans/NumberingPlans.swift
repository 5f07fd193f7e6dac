import CEmbeddedTexts
import OnsideCommerce
import StoreBase

/// The numbering plans of all regions: `CEmbeddedTexts/NumberingPlans/plans.txt`, compiled by `script/phone-numbers`.
enum NumberingPlans {
  /// All plans by country code, the main region of a shared code first.
  static let all = rows.compactMap(NumberingPlan.init(row:))

  /// The plan of a country; nil for the few countries without telephones of their own.
  static func plan(of country: CountryCode) -> NumberingPlan? { byRegion[country.alpha2] }

  /// The plan of the main region of the country code that the digits begin with; nil if no country has such a code.
  static func plan(ofInternational digits: some StringProtocol) -> NumberingPlan? {
    (1...3).lazy.compactMap { byCode[String(digits.prefix($0))] }.first
  }

  private static let byRegion = Dictionary(all.map { ($0.region, $0) }, uniquingKeysWith: { first, _ in first })
  private static let byCode = Dictionary(all.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })

  /// A digest of the file's rows.
  static let version = rows.joined(separator: "\n").sha256Base64URL

  /// The rows of the file, without its comments.
  static var rows: [Substring] {
    let file = embedded_numbering_plans()
    return String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.length), as: UTF8.self)
      .split(separator: "\n").filter { !$0.hasPrefix("#") }
  }
}

extension NumberingPlan {
  /// Parses a row of the file; nil if its columns are others, or an expression is none.
  init?(row: Substring) {
    let fields = row.split(separator: " ").map { $0 == "-" ? nil : String($0) }
    guard fields.count == 9, let region = fields[0], let code = fields[1], let example = fields[8] else { return nil }
    let patterns = [fields[4], fields[5], fields[7]].map { $0.flatMap(DigitPattern.init) }
    guard let numbers = patterns[2], patterns[0] != nil, fields[5] == nil || patterns[1] != nil else { return nil }
    self.init(
      region: region, code: code, personalLengths: Self.lengths(fields[2]), lengths: Self.lengths(fields[3]),
      internationalPrefix: patterns[0], nationalPrefix: patterns[1], replacement: fields[6], numbers: numbers,
      example: example)
  }

  /// The lengths of a text such as `7-9,11`.
  private static func lengths(_ text: String?) -> Set<Int> {
    var result: Set<Int> = []
    for run in (text ?? "").split(separator: ",") {
      let bounds = run.split(separator: "-").compactMap { Int($0) }
      guard let first = bounds.first, let last = bounds.last, first <= last else { continue }
      result.formUnion(first...last)
    }
    return result
  }
}
