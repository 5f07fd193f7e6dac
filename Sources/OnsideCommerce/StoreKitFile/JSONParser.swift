/// Reads JSON (RFC 8259) and tells where it goes wrong; Foundation's parsers turn prices into binary floating point
/// and do not tell the line.
struct JSONParser {
  struct SyntaxError: Error, Hashable {
    let offset: Int
    let expected: String
    /// The unexpected text; nil for the next character.
    var found: String?
  }

  private let bytes: [UInt8]
  private var index: Int
  private var depth = 0
  private static let depthLimit = 200

  /// The one value of a UTF-8 text.
  static func parse(_ bytes: [UInt8]) throws(SyntaxError) -> JSONNode {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw SyntaxError(offset: 0, expected: "text in UTF-8")
    }
    var parser = JSONParser(bytes: bytes)
    let node = try parser.value()
    parser.skipSpace()
    guard parser.index == bytes.count else { throw parser.expected("the end of the file") }
    return node
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
    index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private func expected(_ what: String) -> SyntaxError { SyntaxError(offset: index, expected: what) }

  private mutating func skipSpace() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard current == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func value() throws(SyntaxError) -> JSONNode {
    skipSpace()
    let start = index
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else { throw expected("at most \(Self.depthLimit) levels of nesting") }
    return JSONNode(value: try content(), offset: start)
  }

  private mutating func content() throws(SyntaxError) -> JSONNode.Value {
    switch current {
    case UInt8(ascii: "{"): return .object(try members())
    case UInt8(ascii: "["): return .array(try elements())
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", value: .bool(true))
    case UInt8(ascii: "f"): return try word("false", value: .bool(false))
    case UInt8(ascii: "n"): return try word("null", value: .null)
    case UInt8(ascii: "-"), .some(0x30...0x39): return .number(try number())
    default: throw expected("a value")
    }
  }

  private mutating func members() throws(SyntaxError) -> [String: JSONNode] {
    var members: [String: JSONNode] = [:]
    _ = take("{")
    if take("}") { return members }
    repeat {
      skipSpace()
      guard current == UInt8(ascii: "\"") else { throw expected("a key in double quotes") }
      let start = index
      let key = try string()
      guard members[key] == nil else {
        throw SyntaxError(
          offset: start, expected: "a key that the object does not have yet", found: "\"\(key)\" again")
      }
      guard take(":") else { throw expected("a colon after the key \"\(key)\"") }
      members[key] = try value()
    } while take(",")
    guard take("}") else { throw expected("a comma or a closing brace") }
    return members
  }

  private mutating func elements() throws(SyntaxError) -> [JSONNode] {
    var elements: [JSONNode] = []
    _ = take("[")
    if take("]") { return elements }
    repeat { elements.append(try value()) } while take(",")
    guard take("]") else { throw expected("a comma or a closing bracket") }
    return elements
  }

  private mutating func word(_ word: String, value: JSONNode.Value) throws(SyntaxError) -> JSONNode.Value {
    guard bytes[index...].starts(with: word.utf8) else { throw expected(word) }
    index += word.utf8.count
    return value
  }
}

extension JSONParser {
  private mutating func number() throws(SyntaxError) -> String {
    let start = index
    if current == UInt8(ascii: "-") { index += 1 }
    let leading = index
    try digits()
    if bytes[leading] == UInt8(ascii: "0"), index > leading + 1 {
      index = leading + 1
      throw expected("a number without leading zeros")
    }
    if current == UInt8(ascii: ".") {
      index += 1
      try digits()
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      index += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
      try digits()
    }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func digits() throws(SyntaxError) {
    let start = index
    while let byte = current, 0x30...0x39 ~= byte { index += 1 }
    guard index > start else { throw expected("a digit") }
  }

  private mutating func string() throws(SyntaxError) -> String {
    index += 1
    var content: [UInt8] = []
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        return String(decoding: content, as: UTF8.self)
      case UInt8(ascii: "\\"):
        content += String(try escape()).utf8
      case 0..<0x20:
        throw expected("a closing quote on this line")
      default:
        content.append(byte)
        index += 1
      }
    }
    throw expected("a closing quote")
  }

  private mutating func escape() throws(SyntaxError) -> Character {
    index += 1
    guard let letter = current else { throw expected("an escape") }
    if letter == UInt8(ascii: "u") { return Character(try unicodeEscape()) }
    guard let character = Self.escapes[letter] else {
      throw expected("one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u")
    }
    index += 1
    return character
  }

  private static let escapes: [UInt8: Character] = [
    UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/", UInt8(ascii: "b"): "\u{8}",
    UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
  ]

  private mutating func unicodeEscape() throws(SyntaxError) -> Unicode.Scalar {
    let first = try codeUnit()
    if let scalar = Unicode.Scalar(UInt32(first)) { return scalar }
    guard UTF16.isLeadSurrogate(first), bytes[index...].starts(with: "\\u".utf8) else {
      throw expected("the second half of a surrogate pair")
    }
    index += 1
    let second = try codeUnit()
    guard UTF16.isTrailSurrogate(second) else { throw expected("the second half of a surrogate pair") }
    return UTF16.decode(UTF16.EncodedScalar([first, second]))
  }

  /// Reads `uXXXX`.
  private mutating func codeUnit() throws(SyntaxError) -> UInt16 {
    let digits = bytes[(index + 1)...].prefix(4)
    guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw expected("four hexadecimal digits") }
    index += 5
    return unit
  }
}
