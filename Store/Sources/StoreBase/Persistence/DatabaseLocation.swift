/// Where a store's data is.
public enum DatabaseLocation: Sendable, Hashable {
  /// A file of SQLite; a relative path starts at the current folder.
  case sqlite(path: String)
  /// A database of PostgreSQL.
  case postgres(PostgresURL)

  /// Reads a path, or a URL that begins with `postgres://`; nil for an empty text, for a URL that libpq does not
  /// accept, and for SQLite's names of something else than a file (`:memory:`, `file:…`).
  public init?(_ text: String) {
    guard PostgresURL.isOne(text) else {
      guard !text.isEmpty, text != ":memory:", !text.hasPrefix("file:") else { return nil }
      self = .sqlite(path: text)
      return
    }
    guard let url = PostgresURL(text) else { return nil }
    self = .postgres(url)
  }

  /// The path of SQLite's file; nil for PostgreSQL.
  public var path: String? { if case .sqlite(let path) = self { path } else { nil } }
}

extension DatabaseLocation: CustomStringConvertible {
  /// The path, or the URL without its password.
  public var description: String {
    switch self {
    case .sqlite(let path): path
    case .postgres(let url): "\(url)"
    }
  }
}
