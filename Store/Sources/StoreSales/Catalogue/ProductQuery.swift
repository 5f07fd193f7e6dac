import Hummingbird
import OnsideAPI
import OnsideCommerce
import StoreWeb

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

  private static func isASCIILetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
