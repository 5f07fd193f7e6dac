/// Bytes on the wire: base64url without padding (RFC 4648, section 5), in its one canonical form.
public struct WireBytes: Hashable, Sendable, Codable, LosslessStringConvertible {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let none: UInt8 = 0xff
  /// What each character stands for.
  private static let values = {
    var values = [UInt8](repeating: none, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  /// The bytes.
  public let bytes: [UInt8]

  /// Wraps bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads the text; nil when it is not the canonical form of any bytes.
  public init?(_ description: String) {
    let text = description.utf8
    guard text.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    let values = Self.values
    var (pending, bits): (UInt32, UInt32) = (0, 0)
    for character in text {
      let value = values[Int(character)]
      guard value != Self.none else { return nil }
      (pending, bits) = (pending << 6 | UInt32(value), bits + 6)
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
    }
    // Left-over bits would be a second text for the same bytes.
    guard pending & (1 << bits - 1) == 0 else { return nil }
    self.bytes = bytes
  }

  /// The text.
  public var description: String {
    let alphabet = Self.alphabet
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var (pending, bits): (UInt32, UInt32) = (0, 0)
    for byte in bytes {
      (pending, bits) = (pending << 8 | UInt32(byte), bits + 8)
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[Int(pending >> bits & 63)])
      }
    }
    if bits > 0 { text.append(alphabet[Int(pending << (6 - bits) & 63)]) }
    return String(decoding: text, as: UTF8.self)
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
