public import Foundation

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

extension DatabaseLocation {
  /// Opens the database and brings its tables up to date. A foreign or newer one is refused before anything is changed,
  /// with a ``DatabaseOpenError``.
  ///
  /// - Parameters:
  ///   - olderSchema: whether the tables are brought up to date.
  ///   - makesTables: whether a missing file is made and a database without tables gets them; otherwise
  ///     ``DatabaseOpenError/empty(path:)``.
  ///   - longReads: whether a read on a server may take as long as it needs.
  public func open(
    now: Date, olderSchema: OlderSchema = .migrate, makesTables: Bool = true, longReads: Bool = false
  ) throws -> any Database {
    switch self {
    case .sqlite(let path):
      return try SQLiteDatabase.open(
        at: path, now: now, olderSchema: olderSchema, makesTables: makesTables)
    case .postgres(let url):
      #if canImport(PostgresClient)
        return try PostgresDatabase.open(
          at: url.text, now: now, olderSchema: olderSchema, makesTables: makesTables, longReads: longReads)
      #else
        throw url.withoutPostgres
      #endif
    }
  }
}
