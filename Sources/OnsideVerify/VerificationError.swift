public import Foundation

/// Why a signed document was refused, or its keys could not be had.
///
/// ``description`` says what was expected, what came and what to do. It never holds the document, a signature or an app
/// account token, so that it may be logged.
public struct VerificationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, for code that decides by it.
  public let code: Code
  /// What was expected, what came, and what to do.
  public let description: String
  /// The `kid` that no key has, when ``code`` is ``Code/unknownKey``; nil otherwise.
  public let unknownKeyID: String?

  /// A kind of refusal. New ones may be added: code that decides by it needs a default.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The name, for logs and metrics.
    public let rawValue: String

    /// A code by its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not a compact JWS (RFC 7515), or its header or payload cannot be read.
    public static let malformed = Code(rawValue: "malformed")
    /// Larger than the verifier reads.
    public static let tooLarge = Code(rawValue: "tooLarge")
    /// Signed with another algorithm than ES256; `none` is one of them.
    public static let unsupportedAlgorithm = Code(rawValue: "unsupportedAlgorithm")
    /// The header demands an extension (`crit`) that the verifier does not know.
    public static let unsupportedExtension = Code(rawValue: "unsupportedExtension")
    /// A document of another kind: a list of entitlements in place of a history, for example.
    public static let wrongType = Code(rawValue: "wrongType")
    /// No key has the document's `kid`; ``VerificationError/unknownKeyID`` names it. Newer keys may have it.
    public static let unknownKey = Code(rawValue: "unknownKey")
    /// The signature does not belong to the document.
    public static let wrongSignature = Code(rawValue: "wrongSignature")
    /// Not a set of keys (RFC 7517), or a set without a key for ES256.
    public static let malformedKeys = Code(rawValue: "malformedKeys")
    /// The keys could not be fetched, so that nothing is known of the document: try again later.
    public static let keysUnavailable = Code(rawValue: "keysUnavailable")
    /// The document is of another app.
    public static let wrongApp = Code(rawValue: "wrongApp")
    /// The document is of another environment: a sandbox purchase in production, for example.
    public static let wrongEnvironment = Code(rawValue: "wrongEnvironment")
    /// The document is of another account, or of another user of the app.
    public static let wrongAccount = Code(rawValue: "wrongAccount")
    /// The document is older than the list itself, or the caller, allows.
    public static let expired = Code(rawValue: "expired")
  }

  init(_ code: Code, _ description: String, unknownKeyID: String? = nil) {
    self.code = code
    self.description = description
    self.unknownKeyID = unknownKeyID
  }

  static func malformed(_ expected: String) -> VerificationError {
    VerificationError(.malformed, "Expected \(expected). Pass on what the store has signed, byte for byte.")
  }
}

extension String {
  /// A word from outside, for a description: no more than 64 characters, and printable ASCII.
  var quoted: String { "“\(printable(64))”" }

  /// The first characters; others than printable ASCII are question marks.
  func printable(_ count: Int) -> String {
    String(decoding: utf8.prefix(count).map { (0x20..<0x7f).contains($0) ? $0 : 0x3f }, as: UTF8.self)
  }
}

extension VerificationError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}
