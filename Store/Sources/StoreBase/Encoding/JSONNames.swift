package import Foundation

/// Detects duplicate names in JSON objects. Parsers take one or the other value, so that two parsers can read two
/// different messages (RFC 8725, section 2.4, RFC 7515, section 4).
package enum JSONNames {
  /// An object or list that is open at a place of the text; an object with its names so far.
  private enum Container {
    case object(Set<String>)
    case list
  }

  /// Whether an object of a JSON text, wherever, has a name twice. The text has been read as JSON before.
  package static func areRepeated(in json: Data) -> Bool {
    var open: [Container] = []
    var isName = false
    var index = json.startIndex
    while index < json.endIndex {
      switch json[index] {
      case UInt8(ascii: "{"):
        open.append(.object([]))
        isName = true
      case UInt8(ascii: "["):
        open.append(.list)
        isName = false
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if !open.isEmpty { open.removeLast() }
        isName = false
      case UInt8(ascii: ","):
        if case .object = open.last { isName = true } else { isName = false }
      case UInt8(ascii: "\""):
        let end = endOfString(json, from: index)
        if isName, case .object(var names) = open.popLast() {
          guard names.insert(text(json[index..<end])).inserted else { return true }
          open.append(.object(names))
        }
        isName = false
        index = end
        continue
      default: break
      }
      index += 1
    }
    return false
  }

  /// The place behind a string's closing quote.
  private static func endOfString(_ json: Data, from start: Data.Index) -> Data.Index {
    var index = start + 1
    while index < json.endIndex {
      if json[index] == UInt8(ascii: "\\") {
        index += 2
      } else if json[index] == UInt8(ascii: "\"") {
        return index + 1
      } else {
        index += 1
      }
    }
    return json.endIndex
  }

  /// A string without its escapes: `"\u0061"` is `"a"`.
  private static func text(_ quoted: Data) -> String {
    (try? JSONDecoder().decode(String.self, from: Data(quoted))) ?? String(decoding: quoted, as: UTF8.self)
  }
}
