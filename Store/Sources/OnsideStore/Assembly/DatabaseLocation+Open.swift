public import Foundation
public import StoreBase

extension DatabaseLocation {
  /// Opens the database and brings its tables up to date. Rejects a foreign or newer one before changing it, with a
  /// ``DatabaseOpenError``.
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

extension SQLiteDatabase {
  /// Opens a file with ``Migration/all``; see ``open(at:migrations:now:olderSchema:makesTables:checkedSize:)``. An
  /// overload and no default argument, because `Persistence/` does not know the migrations of other modules.
  public static func open(
    at path: String, now: Date, olderSchema: OlderSchema = .migrate, makesTables: Bool = true,
    checkedSize: Int64 = SQLiteDatabase.checkedSize
  ) throws -> SQLiteDatabase {
    try open(
      at: path, migrations: Migration.all, now: now, olderSchema: olderSchema, makesTables: makesTables,
      checkedSize: checkedSize)
  }
}

#if canImport(PostgresClient)
  extension PostgresDatabase {
    /// Opens a database with ``Migration/all``; see
    /// ``open(at:migrations:now:olderSchema:makesTables:longReads:statementTimeout:)``.
    public static func open(
      at url: String, now: Date, olderSchema: OlderSchema = .migrate, makesTables: Bool = true,
      longReads: Bool = false, statementTimeout: Duration = .seconds(10)
    ) throws -> PostgresDatabase {
      try open(
        at: url, migrations: Migration.all, now: now, olderSchema: olderSchema, makesTables: makesTables,
        longReads: longReads, statementTimeout: statementTimeout)
    }
  }
#endif
