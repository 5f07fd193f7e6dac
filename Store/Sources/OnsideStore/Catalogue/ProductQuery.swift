import Hummingbird
import OnsideAPI
import OnsideCommerce

/// What a request for products asks.
struct ProductQuery {
  /// The most identifiers of one request.
  static let identifierLimit = 200
  private static let languageLimit = 10

  let identifiers: [String]
  let country: CountryCode?
  let languages: [String]

  init(_ request: Request) throws(Problem) {
    let parameters = request.uri.queryParameters
    identifiers = parameters.getAll("id").map { String($0) }
    guard identifiers.count <= Self.identifierLimit else {
      throw .invalidRequest("Expected at most \(Self.identifierLimit) product identifiers, got \(identifiers.count).")
    }
    for identifier in identifiers where !Self.isIdentifier(identifier) {
      throw Problem(
        .unprocessableContent, code: .invalidProductIdentifier,
        detail: "Expected 1 to 255 letters, digits, dots, dashes and underscores in each id.")
    }
    if let hint = parameters["country"] {
      guard let code = CountryCode(alpha2: String(hint)) else {
        throw .invalidRequest("Expected country as an ISO 3166-1 alpha-2 code such as NL.")
      }
      country = code
    } else {
      country = nil
    }
    languages = Self.languages(parameters["language"].map { String($0) } ?? "")
  }

  /// Language tags, best first; what is none is left out.
  static func languages(_ list: String) -> [String] {
    list.split(separator: ",").prefix(languageLimit).map { String($0) }.filter { tag in
      tag.utf8.count <= 35 && tag.utf8.allSatisfy { isASCIILetterOrDigit($0) || $0 == UInt8(ascii: "-") }
    }
  }

  static func isIdentifier(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count)
      && text.utf8.allSatisfy { isASCIILetterOrDigit($0) || "._-".utf8.contains($0) }
  }

  private static func isASCIILetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
