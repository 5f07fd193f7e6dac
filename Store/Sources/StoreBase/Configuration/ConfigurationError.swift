/// Why a configuration cannot be used.
public enum ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file cannot be read.
  case unreadable(path: String, reason: String)
  /// The file is no TOML.
  case syntax(path: String, line: Int, column: Int, reason: String)
  /// No key has this name; `nearest` is the known one that it looks like.
  case unknownKey(place: String, name: String, nearest: String?)
  /// The value is not what the key takes.
  case invalidValue(place: String, name: String, expected: String, found: String)
  /// A production store needs the key.
  case neededInProduction(name: String, reason: String)
  /// A production store cannot be served with the value.
  case unfitForProduction(name: String, expected: String, found: String, reason: String)
  /// The values of other keys require this key.
  case needed(name: String, reason: String)

  /// The value without the user and password of a URL.
  private static func withoutPassword(_ value: String) -> String {
    value.replacing(/:\/\/.*@/, with: "://…@").replacing(/password=[^&\s]*/, with: "password=…")
  }

  /// The place, what was expected, what came and what to do.
  public var description: String {
    switch self {
    case .unreadable(let path, let reason):
      "\(path): expected a configuration file that can be read: \(reason)"
    case .syntax(let path, let line, let column, let reason):
      "\(path):\(line):\(column): expected TOML: \(reason)"
    case .unknownKey(let place, let name, let nearest?):
      "\(place): unknown key \"\(name)\"; did you mean \"\(nearest)\"?"
    case .unknownKey(let place, let name, nil):
      "\(place): unknown key \"\(name)\"; docs/operating.md lists the known ones"
    case .invalidValue(let place, let name, let expected, let found):
      "\(place): \(name) should be \(expected), got \(Self.withoutPassword(found))"
    case .neededInProduction(let name, let reason):
      "\(name) is needed in production: \(reason)"
    case .unfitForProduction(let name, let expected, let found, let reason):
      "\(name) should be \(expected), got \(found): \(reason)"
    case .needed(let name, let reason):
      "\(name) is needed: \(reason)"
    }
  }
}
