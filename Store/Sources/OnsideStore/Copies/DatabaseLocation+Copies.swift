public import Foundation
public import StoreBase

extension DatabaseLocation {
  /// Copies the database into one file, also while stores serve from it. For a PostgreSQL database its `pg_dump` has to
  /// be installed.
  ///
  /// - Parameter overwrites: whether a file of that name is replaced, once the copy is complete.
  public func backUp(to path: String, overwrites: Bool) throws -> DatabaseCopy {
    switch self {
    case .sqlite(let database): return try DatabaseBackup(of: database).write(to: path, overwrites: overwrites)
    case .postgres(let url):
      #if canImport(PostgresClient)
        return try PostgresBackup(of: url).write(to: path, overwrites: overwrites)
      #else
        throw url.withoutPostgres
      #endif
    }
  }

  /// Puts such a copy in the place of the database, and lets every device's sync start over. No program may have the
  /// file open; a PostgreSQL database has to be empty.
  ///
  /// - Parameter now: names the file that was in place before and is kept, and begins the new epoch.
  public func restore(from path: String, now: Date) throws -> DatabaseRestore.Outcome {
    switch self {
    case .sqlite(let database): return try DatabaseRestore(of: database).put(path, now: now)
    case .postgres(let url):
      #if canImport(PostgresClient)
        return try PostgresRestore(into: url).put(path, now: now)
      #else
        throw url.withoutPostgres
      #endif
    }
  }

  /// Lets every device's sync start over: for a database that was restored by other means. In a file it suspends
  /// charges, too; on a server it may follow a failover, which does not suspend them. A store may be serving.
  public func renewCursors(at now: Date) throws {
    switch self {
    case .sqlite(let path): try SyncCursors.renew(in: path, at: now)
    case .postgres(let url):
      #if canImport(PostgresClient)
        try SyncCursors.renew(at: url, now: now, random: SystemRandom(), suspendsCharges: false)
      #else
        throw url.withoutPostgres
      #endif
    }
  }
}
