import Foundation
import GRDB
public import StoreBase

/// A consistent copy of a database in one file, also while a store serves from it.
///
/// SQLite's online backup copies all pages in one step, which is one read transaction: writers go on beside it, and
/// none of them makes it start over. (In several steps, as `sqlite3 .backup` does, it starts over with each commit of
/// another process and may never end. `VACUUM INTO` does not start over either, but takes several times as long, and
/// the write-ahead log grows meanwhile.)
public struct DatabaseBackup: Sendable {
  private let database: String
  private let plan: MigrationPlan

  /// - Parameter path: the database file. Its schema may be older than the program's; it stays as it is.
  public init(of path: String, migrations: [Migration] = Migration.all) {
    database = path
    plan = MigrationPlan(migrations)
  }

  /// Writes the copy beside the name, checks it, and gives it the name only then. Returns when it is flushed.
  ///
  /// - Parameter overwrites: whether a file of that name is replaced.
  public func write(to path: String, overwrites: Bool = false) throws -> DatabaseCopy {
    guard !StoreFile(path).isSame(as: StoreFile(database)) else { throw DatabaseCopyError.sameFile(path) }
    return try DatabaseCopy.write(to: path, overwrites: overwrites, fill)
  }

  private func fill(_ part: StoreFile) throws -> Int {
    // A restore must not put another file in its place meanwhile.
    let lock = try DatabaseLock(database: database)
    try lock.share()
    try SQLiteDatabase.explaining(database) {
      let source = try SQLiteDatabase.reader(database)
      defer { try? source.close() }
      _ = try source.read { try plan.checkUnmoved(SQLiteConnection(database: $0), path: database) }
      let target = try DatabaseQueue(path: part.path)
      try source.backup(to: target)
      try target.leaveOneFile()
      try target.close()
    }
    // What is wrong with a copy of every page is wrong with the database.
    return try SQLiteDatabase.explaining(database) {
      let copy = try SQLiteDatabase.reader(part.path)
      defer { try? copy.close() }
      return try copy.read { try plan.requireStore(SQLiteConnection(database: $0), path: database) }
    }
  }
}
