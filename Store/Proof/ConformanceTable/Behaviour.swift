import Foundation

/// A numbered promise of docs/behaviours.md.
public struct Behaviour: Hashable, Sendable, Codable {
  /// Its permanent id, for example `QUE-8`.
  public let id: String
  /// Its text.
  public let promise: String

  /// All of them, in the order of the document, which is built in.
  public static let all: [Behaviour] = parse(String(decoding: PackageResources.behaviours_md, as: UTF8.self))

  /// The promises of a text: lines such as `- QUE-8 Kill the process …`.
  static func parse(_ text: String) -> [Behaviour] {
    text.split(separator: "\n").compactMap { line in
      guard let match = line.wholeMatch(of: /- ([A-Z]{3}-[0-9]+) (.*)/) else { return nil }
      return Behaviour(id: String(match.1), promise: String(match.2))
    }
  }

  /// The ids that the name of a case carries before its colon; without one, those that it begins with.
  static func ids(inName name: String) -> [String] {
    let head = name.firstIndex(of: ":").map { name[..<$0] } ?? name.prefixMatch(of: /([A-Z]{3}-[0-9]+,? )*/)?.0
    return (head ?? "").matches(of: /[A-Z]{3}-[0-9]+/).map { String($0.output) }
  }
}
