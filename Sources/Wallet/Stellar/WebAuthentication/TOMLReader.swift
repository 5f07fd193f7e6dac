/// Reads what stands before the first table of a TOML document (version 1.1), and nothing behind it: `stellar.toml` has
/// what a login needs there. All forms of keys and strings are read; numbers, dates, arrays and inline tables are
/// passed over.
struct TOMLReader {
  /// What a key has.
  enum Value: Equatable {
    case string(String)
    /// A number, a date, a truth value, an array or a table.
    case other
  }

  /// The value of each name; of `a.b = 1` the name `a`, with ``Value/other``.
  static func rootTable(of text: String) throws(TOMLError) -> [String: Value] {
    var reader = TOMLReader(text)
    return try reader.rootTable()
  }

  private let scalars: [Unicode.Scalar]
  private var position = 0
  /// Arrays and tables within one another.
  private var depth = 0
  private static let greatestDepth = 64

  private init(_ text: String) {
    // CR LF is one character in Swift and two scalars; a byte order mark is none of the document.
    let all = Array(text.unicodeScalars)
    scalars = all.first == "\u{FEFF}" ? Array(all.dropFirst()) : all
  }

  private mutating func rootTable() throws(TOMLError) -> [String: Value] {
    var values: [String: Value] = [:]
    while true {
      try skipBlank(overLines: true)
      guard let next = peek(), next != "[" else { return values }
      let key = try key()
      let value = try value()
      let isKnown = values[key[0]] != nil
      guard !isKnown || key.count > 1 else { throw expected("\(key[0]) once") }
      values[key[0]] = key.count == 1 ? value : .other
      try skipBlank(overLines: false)
      guard peek() == nil || takeNewline() else { throw expected("the end of the line") }
    }
  }

  // MARK: Keys and values

  /// A key, with its dots, and the equals sign.
  private mutating func key() throws(TOMLError) -> [String] {
    var parts: [String] = []
    repeat {
      skipSpaces()
      switch peek() {
      case "\"": parts.append(try basicString())
      case "'": parts.append(try literalString())
      default: parts.append(try bareKey())
      }
      skipSpaces()
    } while take(".")
    guard take("=") else { throw expected("= after the key") }
    skipSpaces()
    return parts
  }

  private mutating func bareKey() throws(TOMLError) -> String {
    let text = takeAll { scalar in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
      default: false
      }
    }
    guard !text.isEmpty else { throw expected("a key") }
    return text
  }

  private mutating func value() throws(TOMLError) -> Value {
    switch peek() {
    case "\"": return .string(try starts(with: "\"\"\"") ? longString("\"") : basicString())
    case "'": return .string(try starts(with: "'''") ? longString("'") : literalString())
    case "[": try list(until: "]") { (reader) throws(TOMLError) in _ = try reader.value() }
    case "{":
      try list(until: "}") { (reader) throws(TOMLError) in
        _ = try reader.key()
        _ = try reader.value()
      }
    default:
      let text = takeAll { !",]}#\n\r".unicodeScalars.contains($0) }
      guard text.contains(where: { $0 != " " && $0 != "\t" }) else { throw expected("a value") }
    }
    return .other
  }

  /// An array or an inline table: items between commas, over several lines.
  private mutating func list(
    until end: Unicode.Scalar, _ item: (inout TOMLReader) throws(TOMLError) -> Void
  ) throws(TOMLError) {
    depth += 1
    guard depth <= Self.greatestDepth else { throw expected("at most \(Self.greatestDepth) lists within one another") }
    position += 1
    while true {
      try skipBlank(overLines: true)
      if take(end) { break }
      try item(&self)
      try skipBlank(overLines: true)
      if take(",") { continue }
      guard take(end) else { throw expected(", or \(end)") }
      break
    }
    depth -= 1
  }

  // MARK: Strings

  private mutating func basicString() throws(TOMLError) -> String {
    position += 1
    var text = String.UnicodeScalarView()
    while let next = peek(), !Self.isNewline(next) {
      position += 1
      if next == "\"" { return String(text) }
      text.append(next == "\\" ? try escape() : try allowed(next))
    }
    throw expected("the end of a text")
  }

  private mutating func literalString() throws(TOMLError) -> String {
    position += 1
    var text = String.UnicodeScalarView()
    while let next = peek(), !Self.isNewline(next) {
      position += 1
      if next == "'" { return String(text) }
      text.append(try allowed(next))
    }
    throw expected("the end of a text")
  }

  /// A text over several lines between three quotes; up to two more of them may end it.
  private mutating func longString(_ quote: Unicode.Scalar) throws(TOMLError) -> String {
    position += 3
    _ = takeNewline()
    var text = String.UnicodeScalarView()
    while let next = peek() {
      if next == quote, starts(with: String(repeating: String(quote), count: 3)) {
        let count = scalars[position...].prefix(5).prefix { $0 == quote }.count
        text.append(contentsOf: repeatElement(quote, count: count - 3))
        position += count
        return String(text)
      }
      position += 1
      if next == "\\", quote == "\"" {
        if !skipFoldedLine() { text.append(try escape()) }
      } else {
        text.append(Self.isNewline(next) ? next : try allowed(next))
      }
    }
    throw expected("the end of a text")
  }

  /// A backslash at the end of a line takes all blanks up to the next letter away.
  private mutating func skipFoldedLine() -> Bool {
    let start = position
    skipSpaces()
    guard takeNewline() else {
      position = start
      return false
    }
    while let next = peek(), next == " " || next == "\t" || Self.isNewline(next) { position += 1 }
    return true
  }

  private mutating func escape() throws(TOMLError) -> Unicode.Scalar {
    guard let next = peek() else { throw expected("the end of a text") }
    position += 1
    switch next {
    case "b": return "\u{8}"
    case "t": return "\t"
    case "n": return "\n"
    case "f": return "\u{c}"
    case "r": return "\r"
    case "e": return "\u{1b}"
    case "\"", "\\": return next
    case "x": return try scalar(digits: 2)
    case "u": return try scalar(digits: 4)
    case "U": return try scalar(digits: 8)
    default: throw expected("an escape of TOML")
    }
  }

  private mutating func scalar(digits count: Int) throws(TOMLError) -> Unicode.Scalar {
    let digits = scalars[position...].prefix(count).prefix { $0.properties.isASCIIHexDigit }
    guard digits.count == count, let number = UInt32(String(String.UnicodeScalarView(digits)), radix: 16),
      let scalar = Unicode.Scalar(number)
    else { throw expected("\(count) digits of a letter") }
    position += count
    return scalar
  }

  /// Texts hold no control characters but tabs.
  private func allowed(_ scalar: Unicode.Scalar) throws(TOMLError) -> Unicode.Scalar {
    guard scalar == "\t" || scalar.value >= 0x20 && scalar.value != 0x7f else { throw expected("a letter") }
    return scalar
  }

  // MARK: Letters

  private func peek() -> Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  private func starts(with text: String) -> Bool { scalars[position...].starts(with: text.unicodeScalars) }

  private static func isNewline(_ scalar: Unicode.Scalar) -> Bool { scalar == "\n" || scalar == "\r" }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek() == scalar else { return false }
    position += 1
    return true
  }

  /// LF or CR LF.
  private mutating func takeNewline() -> Bool {
    if starts(with: "\r\n") {
      position += 2
      return true
    }
    return take("\n")
  }

  private mutating func takeAll(_ isTaken: (Unicode.Scalar) -> Bool) -> String {
    let taken = scalars[position...].prefix(while: isTaken)
    position += taken.count
    return String(String.UnicodeScalarView(taken))
  }

  private mutating func skipSpaces() { _ = takeAll { $0 == " " || $0 == "\t" } }

  /// Blanks and comments.
  private mutating func skipBlank(overLines: Bool) throws(TOMLError) {
    repeat {
      skipSpaces()
      if peek() == "#" { _ = takeAll { !Self.isNewline($0) } }
    } while overLines && takeNewline()
  }

  private func expected(_ what: String) -> TOMLError {
    TOMLError(line: scalars[..<min(position, scalars.count)].count { $0 == "\n" } + 1, expected: what)
  }
}

/// Why a text is no TOML.
struct TOMLError: Error, Equatable {
  let line: Int
  let expected: String
}

extension String {
  /// As a string of TOML.
  var tomlString: String {
    let escaped = unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case _ where scalar.value < 0x20 || scalar.value == 0x7f:
        "\\u" + String(repeating: "0", count: scalar.value < 0x10 ? 3 : 2) + String(scalar.value, radix: 16)
      default: String(scalar)
      }
    }
    return "\"" + escaped.joined() + "\""
  }
}
