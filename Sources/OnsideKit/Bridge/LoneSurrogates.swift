import Foundation

/// JavaScript's strings may contain surrogates without their other half. They are no Unicode characters, so Swift's
/// strings cannot, and Foundation refuses JSON with such an escape.
enum LoneSurrogates {
  /// The JSON text with the escape of U+FFFD in place of each escape of a lone surrogate.
  static func replaced(in json: String) -> Data {
    var bytes = Array(json.utf8)
    var index = 0
    while let backslash = bytes[index...].firstIndex(of: UInt8(ascii: "\\")) {
      index = backslash + 2
      switch surrogate(in: bytes, at: backslash) {
      case .none: break
      case .some(let high) where high < 0xDC00:
        if let low = surrogate(in: bytes, at: backslash + 6), low >= 0xDC00 {
          index = backslash + 12
        } else {
          bytes.replaceSubrange(backslash + 2..<backslash + 6, with: "fffd".utf8)
        }
      case .some: bytes.replaceSubrange(backslash + 2..<backslash + 6, with: "fffd".utf8)
      }
      if index >= bytes.count { break }
    }
    return Data(bytes)
  }

  /// The surrogate whose escape begins here, if one does.
  private static func surrogate(in bytes: [UInt8], at index: Int) -> UInt16? {
    guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u"),
      let unit = UInt16(String(decoding: bytes[index + 2..<index + 6], as: UTF8.self), radix: 16)
    else { return nil }
    return (0xD800...0xDFFF).contains(unit) ? unit : nil
  }
}
