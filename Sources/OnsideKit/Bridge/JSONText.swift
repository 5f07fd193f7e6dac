import Foundation

/// JSON text that is ready to be put into other JSON text.
struct JSONText: Sendable, Hashable {
  let text: String

  init(_ value: some JSONWritable) {
    var json = JSONWriter()
    value.write(to: &json)
    text = json.text
  }

  /// The form that Foundation gives a value: for errors, which are few.
  init(encoding value: some Encodable) throws {
    text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
  }

  init(verbatim text: String) { self.text = text }

  static let null = JSONText(verbatim: "null")

  /// A JSON text in which escapes of lone surrogates, which are no characters, are escapes of U+FFFD.
  /// JavaScript strings may hold them; no other language's can.
  static func repaired(_ text: some Sequence<UInt8>) -> Data {
    var bytes = Array(text)
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

extension JSONText: JSONWritable {
  func write(to json: inout JSONWriter) { json.verbatim(text) }
}
