import Foundation
import StoreBase
import TOMLKit

/// A configuration file, read: the value of every key with its place.
struct ConfigurationFile {
  struct Entry {
    let name: String
    let value: ConfigurationValue
    let place: String
  }

  let entries: [Entry]

  init(path: String) throws(ConfigurationError) {
    let text: String
    do {
      text = try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      throw .unreadable(
        path: path,
        reason: FileManager.default.fileExists(atPath: path)
          ? "it is no UTF-8 text, or "
            + "this user may not read it" : "there is no such file")
    }
    try self.init(text: text, path: path)
  }

  init(text: String, path: String) throws(ConfigurationError) {
    let table: TOMLTable
    do {
      table = try TOMLTable(string: text)
    } catch let error as TOMLParseError {
      let reason = error.description.prefix { $0 != "\n" }
      throw .syntax(
        path: path, line: error.source.begin.line, column: error.source.begin.column, reason: String(reason))
    } catch {
      throw .unreadable(path: path, reason: "it is no TOML")
    }
    let lines = KeyLines(text)
    entries = Self.flatten(table, prefix: "").map { name, value in
      Entry(name: name, value: value, place: lines[name].map { "\(path):\($0)" } ?? path)
    }
  }

  private static func flatten(_ table: TOMLTable, prefix: String) -> [(String, ConfigurationValue)] {
    table.keys.sorted().flatMap { key -> [(String, ConfigurationValue)] in
      let name = prefix + key
      guard let value = table[key] else { return [] }
      if let inner = value.table { return flatten(inner, prefix: name + ".") }
      return [(name, ConfigurationValue(value.tomlValue))]
    }
  }
}

extension ConfigurationValue {
  fileprivate init(_ value: TOMLValue) {
    switch value.type {
    case .string: self = .text(value.string ?? "")
    case .int: self = .integer(value.int ?? 0)
    case .bool: self = .boolean(value.bool ?? false)
    case .double: self = .number(value.double ?? 0)
    case .array: self = .other("a list")
    case .date, .time, .dateTime: self = .other("a date or time")
    case .table: self = .other("a table")
    }
  }
}

/// The lines on which keys stand. The parser tells places of syntax errors only, so this looks again; for a key in a
/// notation that it does not know (quoted, inline table) there is no line.
private struct KeyLines {
  private var lines: [String: Int] = [:]

  init(_ text: String) {
    var prefix = ""
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
        prefix = line[line.index(after: line.startIndex)..<end].trimmingCharacters(in: .whitespaces) + "."
      } else if !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
        let name = prefix + line[..<equals].trimmingCharacters(in: .whitespaces)
        if lines[name] == nil { lines[name] = index + 1 }
      }
    }
  }

  subscript(name: String) -> Int? { lines[name] }
}
