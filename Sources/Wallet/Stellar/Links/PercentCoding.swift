/// Percent-encoding (RFC 3986) of a query's values.
enum PercentCoding {
  static func encode(_ text: String) -> String {
    text.utf8.map { byte in
      isUnreserved(byte) ? String(UnicodeScalar(byte)) : "%" + hexDigit(byte >> 4) + hexDigit(byte & 15)
    }.joined()
  }

  /// Nil for broken escapes, for what is no UTF-8, and for a bare `+`, which some read as a space.
  static func decode(_ text: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(value), let low = rest.popFirst().flatMap(value) else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+"): return nil
      case 0x21..<0x7f: bytes.append(byte)
      default: return nil
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func hexDigit(_ value: UInt8) -> String { String(value, radix: 16, uppercase: true) }
  private static func value(_ digit: UInt8) -> UInt8? { Character(UnicodeScalar(digit)).hexDigitValue.map(UInt8.init) }
}
