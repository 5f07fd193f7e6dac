/// A value that pages are told of. Its JSON form is written straight into a text: Foundation's encoder takes many times as
/// long, which a page with a thousand transactions notices.
protocol JSONWritable {
  func write(to json: inout JSONWriter)
}

/// Writes JSON text.
struct JSONWriter {
  private(set) var text = ""
  /// Whether something stands before the next field or item.
  private var needsComma = false

  mutating func object(_ fields: (inout JSONWriter) -> Void) {
    text += "{"
    needsComma = false
    fields(&self)
    text += "}"
    needsComma = true
  }

  /// Writes a field of the object that is open; none when there is no value.
  /// - Parameter name: a name that needs no escapes.
  mutating func field(_ name: StaticString, _ value: (some JSONWritable)?) {
    guard let value else { return }
    text += needsComma ? ",\"" : "\""
    name.withUTF8Buffer { text += String(decoding: $0, as: UTF8.self) }
    text += "\":"
    value.write(to: &self)
    needsComma = true
  }

  mutating func array(_ items: some Sequence<some JSONWritable>) {
    text += "["
    needsComma = false
    for item in items {
      if needsComma { text += "," }
      item.write(to: &self)
      needsComma = true
    }
    text += "]"
    needsComma = true
  }

  mutating func string(_ value: String) {
    text += "\""
    if value.utf8.contains(where: Self.needsEscape) { escape(value) } else { text += value }
    text += "\""
  }

  /// Writes what is JSON already.
  mutating func verbatim(_ json: String) { text += json }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func escape(_ value: String) {
    for character in value.unicodeScalars {
      switch character {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{8}": text += "\\b"
      case "\u{C}": text += "\\f"
      case _ where character.value < 0x20:
        text += character.value < 0x10 ? "\\u000" : "\\u00"
        text += String(character.value, radix: 16)
      default: text.unicodeScalars.append(character)
      }
    }
  }
}

extension String: JSONWritable {
  func write(to json: inout JSONWriter) { json.string(self) }
}

extension FixedWidthInteger where Self: JSONWritable {
  func write(to json: inout JSONWriter) { json.verbatim(String(self)) }
}

extension Int: JSONWritable {}
extension UInt: JSONWritable {}

extension Array: JSONWritable where Element: JSONWritable {
  func write(to json: inout JSONWriter) { json.array(self) }
}
