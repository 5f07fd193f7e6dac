import Foundation

/// A value that is sent to pages. Its JSON form is written straight into a text: Foundation's encoder takes many times
/// as long, which is noticeable for a page with a thousand transactions.
protocol JSONWritable {
  func write(to json: inout JSONWriter)
}

/// Writes JSON text. It gathers bytes: many short texts are joined far more quickly so than as strings.
struct JSONWriter {
  private var bytes: [UInt8] = []
  /// Whether something stands before the next field or item.
  private var needsComma = false

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func object(_ fields: (inout JSONWriter) -> Void) {
    bytes.append(UInt8(ascii: "{"))
    needsComma = false
    fields(&self)
    bytes.append(UInt8(ascii: "}"))
  }

  /// Writes a field of the object that is open; none when there is no value.
  /// - Parameter name: a name that needs no escapes.
  mutating func field(_ name: StaticString, _ value: (some JSONWritable)?) {
    guard let value else { return }
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    value.write(to: &self)
    needsComma = true
  }

  mutating func array(_ items: some Sequence<some JSONWritable>) {
    bytes.append(UInt8(ascii: "["))
    needsComma = false
    for item in items {
      if needsComma { bytes.append(UInt8(ascii: ",")) }
      item.write(to: &self)
      needsComma = true
    }
    bytes.append(UInt8(ascii: "]"))
  }

  mutating func string(_ value: String) {
    var value = value
    bytes.append(UInt8(ascii: "\""))
    value.withUTF8 { text in
      if text.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
        for byte in text { append(escaping: byte) }
      } else {
        bytes.append(contentsOf: text)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes an id in lower case. Foundation's text of it comes from `printf`, in capitals.
  mutating func hexadecimal(_ id: UUID) {
    bytes.append(UInt8(ascii: "\""))
    withUnsafeBytes(of: id.uuid) { id in
      for (index, byte) in id.enumerated() {
        if index == 4 || index == 6 || index == 8 || index == 10 { bytes.append(UInt8(ascii: "-")) }
        bytes.append(Self.digit(byte >> 4))
        bytes.append(Self.digit(byte & 15))
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
  }

  /// Writes what is JSON already.
  mutating func verbatim(_ json: String) { bytes.append(contentsOf: json.utf8) }

  private mutating func append(escaping byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): verbatim(#"\""#)
    case UInt8(ascii: "\\"): verbatim(#"\\"#)
    case UInt8(ascii: "\n"): verbatim(#"\n"#)
    case UInt8(ascii: "\r"): verbatim(#"\r"#)
    case UInt8(ascii: "\t"): verbatim(#"\t"#)
    case 0x08: verbatim(#"\b"#)
    case 0x0C: verbatim(#"\f"#)
    case ..<0x10: verbatim(#"\u000"# + String(byte, radix: 16))
    case ..<0x20: verbatim(#"\u00"# + String(byte, radix: 16))
    default: bytes.append(byte)
    }
  }
}

extension String: JSONWritable {
  func write(to json: inout JSONWriter) { json.string(self) }
}

extension UUID: JSONWritable {
  func write(to json: inout JSONWriter) { json.hexadecimal(self) }
}

extension FixedWidthInteger where Self: JSONWritable {
  func write(to json: inout JSONWriter) { json.verbatim(String(self)) }
}

extension Int: JSONWritable {}
extension UInt: JSONWritable {}

extension Array: JSONWritable where Element: JSONWritable {
  func write(to json: inout JSONWriter) { json.array(self) }
}
