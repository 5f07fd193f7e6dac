import Foundation

/// A price as people type it into a file.
enum DisplayPrice {
  static let expectation = "a price such as \"4.99\""

  /// The exact amount of `4.99`, `4,99` or the number 4.99; nil for signs, exponents, thousands separators and words.
  static func amount(_ value: JSONNode.Value) -> Decimal? {
    switch value {
    case .string(let text): amount(text)
    case .number(let digits): amount(digits)
    default: nil
    }
  }

  private static func amount(_ text: String) -> Decimal? {
    let parts = text.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
    let isPrice =
      1...2 ~= parts.count
      && parts.allSatisfy { 1...15 ~= $0.count && $0.allSatisfy { $0.isASCII && $0.isNumber } }
    guard isPrice else { return nil }
    return Decimal(string: parts.joined(separator: "."))
  }
}
