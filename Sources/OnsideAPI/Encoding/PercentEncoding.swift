/// Percent-encoding (RFC 3986, section 2.1) of a value that stands in a URL.
public enum PercentEncoding {
  /// The text with everything but the unreserved characters percent-encoded, by the bytes of UTF-8.
  public static func encode(_ text: some StringProtocol) -> String {
    let characters = text.utf8.flatMap { byte in
      isUnreserved(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: characters, as: UTF8.self)
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
