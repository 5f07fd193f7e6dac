/// Bytes on the wire: base64url without padding (RFC 4648, section 5), in its one canonical form.
public struct WireBytes: Hashable, Sendable, Codable, LosslessStringConvertible {
  /// The bytes.
  public let bytes: [UInt8]

  /// Wraps bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads the text; nil when it is not the canonical form of any bytes.
  public init?(_ description: String) {
    guard let bytes = Base64URL.decode(description) else { return nil }
    self.bytes = bytes
  }

  /// The text.
  public var description: String { Base64URL.encode(bytes) }

  /// Reads the text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let value = WireBytes(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected base64url without padding")
    }
    self = value
  }

  /// Writes the text.
  public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}
