package import Foundation

/// Writes JSON objects straight into bytes, for the answers and signed payloads of the hot path. Fields are written in
/// the order given; callers write them sorted by name, as `WireCoding` does.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []
  private var isFirst = true

  package init(capacity: Int = 1024) {
    bytes.reserveCapacity(capacity)
  }

  package mutating func object(_ fields: (inout JSONWriter) -> Void) {
    let outer = isFirst
    isFirst = true
    bytes.append(UInt8(ascii: "{"))
    fields(&self)
    bytes.append(UInt8(ascii: "}"))
    isFirst = outer
  }

  package mutating func array<Element>(_ elements: [Element], _ write: (inout JSONWriter, Element) -> Void) {
    bytes.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      write(&self, element)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  package mutating func name(_ name: StaticString) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  package mutating func field(_ name: StaticString, _ text: String) {
    self.name(name)
    string(text)
  }

  package mutating func field(_ name: StaticString, _ number: Int64) {
    self.name(name)
    bytes.append(contentsOf: String(number).utf8)
  }

  package mutating func field(_ name: StaticString, _ value: Bool) {
    self.name(name)
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  package mutating func field(_ name: StaticString, _ date: Date) {
    self.name(name)
    self.date(date)
  }

  package mutating func null(_ name: StaticString) {
    self.name(name)
    bytes.append(contentsOf: "null".utf8)
  }

  /// A value that is JSON already.
  package mutating func field(_ name: StaticString, json: some Sequence<UInt8>) {
    self.name(name)
    bytes.append(contentsOf: json)
  }

  mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { text in
      // Most texts have nothing to escape and are copied as a whole.
      if text.contains(where: Self.isEscaped) {
        for byte in text { character(byte) }
      } else {
        bytes.append(contentsOf: text)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func character(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    case 0..<0x20:
      escape(byte)
    default:
      bytes.append(byte)
    }
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 0x08: bytes.append(contentsOf: "\\b".utf8)
    case 0x09: bytes.append(contentsOf: "\\t".utf8)
    case 0x0a: bytes.append(contentsOf: "\\n".utf8)
    case 0x0c: bytes.append(contentsOf: "\\f".utf8)
    case 0x0d: bytes.append(contentsOf: "\\r".utf8)
    default:
      let digits = Array("0123456789abcdef".utf8)
      bytes.append(contentsOf: "\\u00".utf8)
      bytes.append(digits[Int(byte >> 4)])
      bytes.append(digits[Int(byte & 15)])
    }
  }

  /// RFC 3339 in UTC with whole seconds; the days by H. Hinnant's "chrono-compatible low-level date algorithms".
  private mutating func date(_ date: Date) {
    let seconds = Int(date.timeIntervalSince1970.rounded(.down))
    let days = seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let time = seconds - days * 86400
    bytes.append(UInt8(ascii: "\""))
    digits(year, count: 4)
    bytes.append(UInt8(ascii: "-"))
    digits(month, count: 2)
    bytes.append(UInt8(ascii: "-"))
    digits(dayOfYear - (153 * march + 2) / 5 + 1, count: 2)
    bytes.append(UInt8(ascii: "T"))
    digits(time / 3600, count: 2)
    bytes.append(UInt8(ascii: ":"))
    digits(time / 60 % 60, count: 2)
    bytes.append(UInt8(ascii: ":"))
    digits(time % 60, count: 2)
    bytes.append(contentsOf: "Z\"".utf8)
  }

  private mutating func digits(_ number: Int, count: Int) {
    var divisor = count == 4 ? 1000 : 10
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }
}
