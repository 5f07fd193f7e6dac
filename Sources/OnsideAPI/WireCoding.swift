public import Foundation

/// The one way in which both sides write and read the wire's JSON: dates as RFC 3339 UTC with whole seconds, keys
/// sorted so that equal values are equal bytes.
public enum WireCoding {
  /// A new encoder.
  public static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }

  /// A new decoder.
  public static func decoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }
}

/// The HTTP header fields that are the wire's own.
public enum WireHeader {
  /// The calling app's identifier.
  public static let app = "Onside-App"
  /// The id of the order to make: a UUID. IETF draft-ietf-httpapi-idempotency-key-header.
  public static let idempotencyKey = "Idempotency-Key"
  /// The sandbox provider's HMAC-SHA256 over the raw body, in lower-case hexadecimal digits.
  public static let sandboxSignature = "Onside-Sandbox-Signature"
  /// A wallet's device proves a vault request: `1.KEY.TIME.NONCE.SIGNATURE`, bytes in base64url, time in milliseconds
  /// since 1970. `OnsideVault` makes and checks it.
  public static let vaultSignature = "Onside-Vault-Signature"
}
