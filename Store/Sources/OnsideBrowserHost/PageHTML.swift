import Foundation

/// A page of a folder, with the script tag inserted before the page's own scripts.
///
/// The tag is inserted into the bytes, so that a page keeps its encoding: the tag and everything before it are ASCII in
/// every encoding of HTML except UTF-16. A page in UTF-16 is converted to UTF-8.
struct PageHTML {
  /// The `Content-Type` of the page. A page that is not UTF-8 declares its encoding itself; otherwise browsers take it
  /// for Windows-1252.
  let contentType: String
  let bytes: [UInt8]

  init(_ file: Data, tag: String) {
    let page = Self.utf8(of: file) ?? Array(file)
    let isUTF8 = String(validating: page, as: UTF8.self) != nil
    contentType = isUTF8 ? "text/html; charset=utf-8" : "text/html"
    let place = Prolog.end(of: page)
    bytes = page[..<place] + Array(tag.utf8) + page[place...]
  }

  /// The page in UTF-8 if its byte order mark is one of UTF-16; nil otherwise.
  private static func utf8(of file: Data) -> [UInt8]? {
    guard file.starts(with: [0xFF, 0xFE]) || file.starts(with: [0xFE, 0xFF]) else { return nil }
    return String(data: file, encoding: .utf16).map { Array($0.utf8) }
  }
}

/// A parser for the part of a page before the content of its head: white space, comments, the doctype, `<html>` and
/// `<head>`, as browsers read them (HTML, section 13.2.6.4). Tags in comments are skipped.
private struct Prolog {
  private var rest: ArraySlice<UInt8>

  /// The index after the opening tag of the head, or where browsers insert one.
  static func end(of page: [UInt8]) -> Int {
    var prolog = Prolog(rest: page[...])
    if page.starts(with: [0xEF, 0xBB, 0xBF]) { prolog.rest = page[3...] }
    while prolog.takePart() {}
    return prolog.rest.startIndex
  }

  /// Skips one part before the head's content; false after the last one.
  private mutating func takePart() -> Bool {
    let start = rest
    rest = rest.drop { [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains($0) }
    if take("<!--") {
      takeComment()
    } else if take("<!") || take("<?") {
      takeThroughEnd()
    } else if takeName("<html") {
      takeTag()
    } else if takeName("<head") {
      takeTag()
      return false
    } else {
      rest = start
      return false
    }
    return true
  }

  private func has(_ text: String) -> Bool {
    rest.count >= text.utf8.count && zip(rest, text.utf8).allSatisfy { Self.lowercase($0) == $1 }
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

  private mutating func take(_ text: String) -> Bool {
    guard has(text) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  /// Skips the name of a tag, unless it is the beginning of a longer name.
  private mutating func takeName(_ name: String) -> Bool {
    guard has(name), let next = rest.dropFirst(name.utf8.count).first,
      next <= 0x20 || next == UInt8(ascii: ">") || next == UInt8(ascii: "/")
    else { return false }
    return take(name)
  }

  private mutating func takeComment() {
    // `<!-->` and `<!--->` are whole comments.
    if rest.starts(with: Array(">".utf8)) || rest.starts(with: Array("->".utf8)) {
      return takeThroughEnd()
    }
    while !rest.isEmpty {
      if rest.starts(with: Array("-->".utf8)) { return rest = rest.dropFirst(3) }
      if rest.starts(with: Array("--!>".utf8)) { return rest = rest.dropFirst(4) }
      rest = rest.dropFirst()
    }
  }

  /// Skips the attributes and the end of a tag. A quoted value may contain any character.
  private mutating func takeTag() {
    var quote: UInt8?
    var last = UInt8(ascii: " ")
    while let byte = rest.popFirst() {
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: ">") {
        return
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"), last == UInt8(ascii: "=") {
        quote = byte
      }
      if byte > 0x20 { last = byte }
    }
  }

  private mutating func takeThroughEnd() {
    while let byte = rest.popFirst(), byte != UInt8(ascii: ">") {}
  }
}
