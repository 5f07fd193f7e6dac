public import Foundation

/// Bytes on the wire: base64url without padding (RFC 4648, section 5), in its one canonical form.
public struct WireBytes: Hashable, Sendable, Codable, LosslessStringConvertible {
  /// The bytes.
  public let bytes: [UInt8]

  /// Wraps bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads the text; nil when it is not the canonical form of any bytes.
  public init?(_ description: String) {
    var standard = description.utf8.map { byte in Self.exchange(byte, UInt8(ascii: "-"), UInt8(ascii: "_"), "+", "/") }
    standard += [UInt8](repeating: UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
    guard let data = Data(base64Encoded: Data(standard)) else { return nil }
    bytes = Array(data)
    // Left-over bits, another alphabet or padding would be a second text for the same bytes.
    guard self.description == description else { return nil }
  }

  /// The text.
  public var description: String {
    let standard = Data(bytes).base64EncodedData().prefix { $0 != UInt8(ascii: "=") }
    let text = standard.map { byte in Self.exchange(byte, UInt8(ascii: "+"), UInt8(ascii: "/"), "-", "_") }
    return String(decoding: text, as: UTF8.self)
  }

  private static func exchange(
    _ byte: UInt8, _ one: UInt8, _ two: UInt8, _ first: Unicode.Scalar, _ second: Unicode.Scalar
  ) -> UInt8 {
    byte == one ? UInt8(ascii: first) : byte == two ? UInt8(ascii: second) : byte
  }

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
