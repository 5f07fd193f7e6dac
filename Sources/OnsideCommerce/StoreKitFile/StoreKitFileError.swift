/// A fault of a file, with its place: why the file, or an entry of it, could not be read.
public struct StoreKitFileError: Error, Sendable, Hashable {
  /// The file, as it was named by the caller.
  public let path: String
  /// The line, from 1.
  public let line: Int
  /// The column in characters, from 1.
  public let column: Int
  /// What should have been there.
  public let expected: String
  /// What was there.
  public let found: String

  /// A fault at a byte of a text.
  init(path: String, bytes: [UInt8], offset: Int, expected: String, found: String? = nil) {
    let before = bytes.prefix(offset)
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    self.path = path
    line = before.count { $0 == UInt8(ascii: "\n") } + 1
    column = String(decoding: before[lineStart...], as: UTF8.self).count + 1
    self.expected = expected
    self.found = found ?? Self.describe(bytes.dropFirst(offset))
  }

  init(path: String, bytes: [UInt8], _ error: JSONParser.SyntaxError) {
    self.init(path: path, bytes: bytes, offset: error.offset, expected: error.expected, found: error.found)
  }

  init(path: String, bytes: [UInt8], _ problem: JSONObject.Problem) {
    let place = problem.path.isEmpty ? "" : "\(problem.path): "
    self.init(
      path: path, bytes: bytes, offset: problem.offset, expected: place + problem.expected, found: problem.found)
  }

  private static func describe(_ rest: ArraySlice<UInt8>) -> String {
    guard let character = String(decoding: rest.prefix(16), as: UTF8.self).first else { return "the end of the file" }
    return character.isNewline ? "the end of the line" : "\"\(character)\""
  }
}

extension StoreKitFileError: CustomStringConvertible {
  /// The place in the form that editors understand, what was expected and what came.
  public var description: String { "\(path):\(line):\(column): expected \(expected), got \(found)" }
}
