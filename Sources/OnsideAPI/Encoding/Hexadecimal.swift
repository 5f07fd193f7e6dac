/// Lower-case hexadecimal digits, two for each byte.
public enum Hexadecimal {
  /// The digits of bytes.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of digits; nil for upper-case digits, an odd number of them, and anything else.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let values = text.utf8.compactMap(value)
    guard values.count == text.utf8.count, values.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  private static let digits = Array("0123456789abcdef".utf8)

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
