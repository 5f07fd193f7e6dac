/// Base32 (RFC 4648, section 6) in the one form of SEP-23: upper case, no padding, unused bits zero. It works in memory
/// that the caller owns, so that a seed need not leave the place where secrets are kept.
enum Base32 {
  static func encodedCount(_ count: Int) -> Int { (count * 8 + 4) / 5 }

  /// Nil for lengths that no bytes encode to.
  static func decodedCount(_ count: Int) -> Int? { [1, 3, 6].contains(count % 8) ? nil : count * 5 / 8 }

  static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) {
    var bits: UInt32 = 0
    var count = 0
    var position = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        text[position] = letter(UInt8(truncatingIfNeeded: bits >> count) & 31)
        position += 1
      }
    }
    if count > 0 { text[position] = letter(UInt8(truncatingIfNeeded: bits << (5 - count)) & 31) }
  }

  /// False for a text that `encode` would not have written. `bytes` has `decodedCount` places.
  static func decode(_ text: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
    guard decodedCount(text.count) == bytes.count else { return false }
    var bits: UInt32 = 0
    var count = 0
    var position = 0
    for letter in text {
      guard let value = value(letter) else { return false }
      bits = bits << 5 | UInt32(value)
      count += 5
      if count >= 8 {
        count -= 8
        bytes[position] = UInt8(truncatingIfNeeded: bits >> count)
        position += 1
      }
    }
    return bits & (1 << count - 1) == 0
  }

  private static func letter(_ value: UInt8) -> UInt8 { value < 26 ? value + UInt8(ascii: "A") : value + 24 }

  private static func value(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - UInt8(ascii: "A")
    case UInt8(ascii: "2")...UInt8(ascii: "7"): letter - 24
    default: nil
    }
  }
}
