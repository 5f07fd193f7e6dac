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
  /// A pseudonym of the calling app's installation for one account, a UUID that stays the same over restarts and
  /// logins; another account on the same device has another. It names the device that consumables are delivered on.
  public static let device = "Onside-Device"
  /// Stands on every answer of a store, whatever its status; the version of the interface. What has neither this header
  /// nor a problem of the store was answered by a proxy or a captive portal.
  public static let store = "Onside-Store"
  /// The id of the order to make: a UUID. IETF draft-ietf-httpapi-idempotency-key-header.
  public static let idempotencyKey = "Idempotency-Key"
  /// A wallet's device proves a vault request: `1.KEY.TIME.NONCE.SIGNATURE`, bytes in base64url, time in milliseconds
  /// since 1970. `OnsideVault` makes and checks it.
  public static let vaultSignature = "Onside-Vault-Signature"
}
