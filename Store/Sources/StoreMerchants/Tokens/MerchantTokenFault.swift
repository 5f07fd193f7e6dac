import Foundation
import OnsideAPI
import StoreWeb

/// The reason for which the JWT of a merchant's server is rejected. A fault before the verification of the signature
/// tells only of the form and of an unknown id of a secret: ids are no secrets.
enum MerchantTokenFault: Error, Sendable, Hashable {
  /// No header `Authorization` with a token.
  case missing
  /// More bytes than ``MerchantToken/maximumSize``.
  case size
  /// Not three parts in base64url, or not JSON objects without repeated names.
  case form
  /// Another algorithm than HS256.
  case algorithm
  /// Another `typ`, or a `crit`.
  case header
  /// No valid secret has the `kid`.
  case secretID
  /// The signature is not of the secret.
  case signature
  /// A member of the header or a claim is missing, of another type, or has another value.
  case claim(String)
  /// The time from `nbf` to `exp` is too long, or not positive.
  case window(seconds: Double)
  /// `nbf` is after the store's time.
  case early(seconds: Double, now: Date)
  /// `exp` is before the store's time.
  case expired(seconds: Double, now: Date)
  /// The `jti` was used before.
  case used

  /// The fault of a part that was not decoded. The names are those that the store looks for.
  init(decoding error: any Error) {
    switch error as? DecodingError {
    case .keyNotFound(let key, _): self = .claim(key.stringValue)
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      self = context.codingPath.first.map { Self.claim($0.stringValue) } ?? .form
    default: self = .form
    }
  }
}

extension MerchantTokenFault: ProblemConvertible {
  var problem: Problem { Problem(.invalidMerchantToken, detail: detail) }

  private var detail: String {
    switch self {
    case .missing: "Expected the header Authorization with Bearer and a JWT."
    case .size: "Expected a JWT of at most \(MerchantToken.maximumSize) bytes."
    case .form:
      "Expected three parts in base64url: header and claims as JSON objects without repeated names, signature."
    case .algorithm: "Expected alg HS256."
    case .header: "Expected typ JWT, and no crit."
    case .secretID: "Expected the id of a valid secret in kid. `onside merchant list` shows them."
    case .signature: "The signature is not of the secret in kid. The key is the text of the secret, in UTF-8."
    case .claim(let name): "Expected \(name) \(Self.expectation(of: name))."
    case .window(let seconds):
      "Expected exp after nbf, by at most \(Self.text(MerchantToken.longestWindow)); it is \(Self.text(seconds))."
    case .early(let seconds, let now): clock("nbf is \(Self.text(seconds)) after", now)
    case .expired(let seconds, let now): clock("exp is \(Self.text(seconds)) before", now)
    case .used: "The jti was used before. Make a JWT for each request."
    }
  }

  private func clock(_ difference: String, _ now: Date) -> String {
    "\(difference) the store's time \(now.ISO8601Format()). Compare the clocks."
  }

  private static func expectation(of name: String) -> String {
    switch name {
    case "iss", "aud": "\"onside\""
    case "sub": "as the merchant id of the secret"
    case "jti": "as a text that is used once"
    case "exp", "nbf": "as a number of seconds since 1970"
    default: "as a text"
    }
  }

  /// Seconds, rounded away from zero.
  private static func text(_ seconds: Double) -> String { "\(Int(seconds.rounded(.awayFromZero))) s" }
}
