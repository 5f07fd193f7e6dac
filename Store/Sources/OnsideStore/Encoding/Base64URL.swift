/// Base64 for addresses and tokens (RFC 4648, section 5), without padding.
public enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xff, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  /// The text of bytes.
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: utf8(of: bytes), as: UTF8.self)
  }

  /// The text of bytes, as UTF-8: what a signature is made over.
  public static func utf8(of bytes: some Collection<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    alphabet.withUnsafeBufferPointer { alphabet in
      var buffer: UInt32 = 0
      var bits = 0
      for byte in bytes {
        buffer = buffer << 8 | UInt32(byte)
        bits += 8
        while bits >= 6 {
          bits -= 6
          text.append(alphabet[Int(buffer >> UInt32(bits) & 63)])
        }
      }
      if bits > 0 { text.append(alphabet[Int(buffer << UInt32(6 - bits) & 63)]) }
    }
    return text
  }

  /// The bytes of a text; nil when it is not base64url in its one canonical form.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(utf8: Array(text.utf8)[...]) }

  /// The bytes of a text in UTF-8; nil when it is not base64url in its one canonical form.
  static func decode(utf8 characters: ArraySlice<UInt8>) -> [UInt8]? {
    guard characters.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count * 3 / 4)
    var buffer: UInt32 = 0
    var bits = 0
    for character in characters {
      let value = values[Int(character)]
      guard value != 0xff else { return nil }
      buffer = buffer << 6 | UInt32(value)
      bits += 6
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
    }
    // Left-over bits must be zero: otherwise two texts would mean the same bytes.
    return buffer & ((1 << UInt32(bits)) - 1) == 0 ? bytes : nil
  }
}
