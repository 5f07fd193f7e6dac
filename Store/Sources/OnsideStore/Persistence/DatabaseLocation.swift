public import Foundation

#if canImport(PostgresClient)
  import PostgresClient
#endif

/// Where a store's data is.
public enum DatabaseLocation: Sendable, Hashable {
  /// A file of SQLite; a relative path starts at the current folder.
  case sqlite(path: String)
  /// A database of PostgreSQL.
  case postgres(PostgresURL)

  /// Reads a path, or a URL that begins with `postgres://`; nil for an empty text, and for a URL that libpq does not
  /// accept.
  public init?(_ text: String) {
    guard PostgresURL.isOne(text) else {
      guard !text.isEmpty else { return nil }
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
  ///   - makesTables: whether a server's database without tables gets them; otherwise it is refused. A file gets them.
  ///   - longReads: whether a read on a server may take as long as it needs.
  public func open(
    now: Date, olderSchema: OlderSchema = .migrate, makesTables: Bool = true, longReads: Bool = false
  ) throws -> any Database {
    switch self {
    case .sqlite(let path): return try SQLiteDatabase.open(at: path, now: now, olderSchema: olderSchema)
    case .postgres(let url):
      #if canImport(PostgresClient)
        return try PostgresDatabase.open(
          at: url.text, now: now, olderSchema: olderSchema, makesTables: makesTables, longReads: longReads)
      #else
        throw DatabaseOpenError.unreadable(
          path: "\(url)", reason: "this program was built without PostgreSQL (ONSIDE_WITHOUT_POSTGRES)")
      #endif
    }
  }
}

/// The address of a PostgreSQL database, `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; several hosts are separated by
/// commas. Printing it never shows the password.
public struct PostgresURL: Sendable, Hashable {
  /// The URL with its password.
  package let text: String
  /// The URL without its password.
  public let description: String

  /// Reads a URL; nil when libpq does not accept it.
  public init?(_ text: String) {
    guard Self.isOne(text) else { return nil }
    #if canImport(PostgresClient)
      guard let address = try? PostgresAddress(text) else { return nil }
      description = "\(address)"
    #else
      description = "postgres://…"
    #endif
    self.text = text
  }

  /// Whether a text is meant to be such a URL.
  static func isOne(_ text: String) -> Bool { ["postgres://", "postgresql://"].contains { text.hasPrefix($0) } }
}

extension PostgresURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Nothing of the password.
  public var debugDescription: String { description }
  /// Nothing of the password.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
