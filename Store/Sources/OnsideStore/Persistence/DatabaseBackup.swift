public import Foundation
import GRDB

/// What a copy of the database is.
public struct DatabaseCopy: Sendable, Equatable {
  /// The newest migration in it.
  public let schema: Int
  /// In bytes.
  public let size: Int64
}

/// Why a database was not copied or put back. Nothing was changed.
public enum DatabaseCopyError: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is a file of the copy's name.
  case exists(String)
  /// The copy and the database are one file.
  case sameFile(String)
  /// There is no file to put back.
  case missing(String)
  /// The file to put back has no tables.
  case empty(String)

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .exists(let path): "expected no file at \(path), but there is one. Give another name, or --overwrite."
    case .sameFile(let path): "expected the copy and the database to be two files, but both are \(path)."
    case .missing(let path): "expected a backup at \(path), but there is no such file."
    case .empty(let path): "expected a backup at \(path), but that database is empty."
    }
  }
}

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
    let (source, target) = (StoreFile(database), StoreFile(path))
    guard !target.isSame(as: source) else { throw DatabaseCopyError.sameFile(path) }
    guard overwrites || !target.exists else { throw DatabaseCopyError.exists(path) }
    let part = StoreFile("\(path).part-\(getpid())")
    guard try part.create() else { throw DatabaseCopyError.exists(part.path) }
    do {
      let copy = try fill(part)
      guard overwrites || !target.exists else { throw DatabaseCopyError.exists(path) }
      try part.rename(to: target)
      try target.flushFolder()
      return copy
    } catch {
      for suffix in ["", "-journal", "-wal", "-shm"] { try? StoreFile(part.path + suffix).remove() }
      throw error
    }
  }

  private func fill(_ part: StoreFile) throws -> DatabaseCopy {
    // A restore must not put another file in its place meanwhile.
    let lock = try DatabaseLock(database: database)
    try lock.share()
    try SQLiteDatabase.explaining(database) {
      let source = try SQLiteDatabase.reader(database)
      defer { try? source.close() }
      _ = try source.read { try plan.check(SQLiteConnection(database: $0), path: database) }
      let target = try DatabaseQueue(path: part.path)
      try source.backup(to: target)
      try target.leaveOneFile()
      try target.close()
    }
    // What is wrong with a copy of every page is wrong with the database.
    let schema = try SQLiteDatabase.explaining(database) {
      let copy = try SQLiteDatabase.reader(part.path)
      defer { try? copy.close() }
      return try copy.read { try plan.requireStore(SQLiteConnection(database: $0), path: database) }
    }
    try part.flush()
    return DatabaseCopy(schema: schema, size: part.size)
  }
}

extension DatabaseQueue {
  /// Puts everything into the one file, which needs no other beside it from then on. Throws when another connection has
  /// the file open.
  func leaveOneFile() throws {
    try writeWithoutTransaction { database in
      let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE")
      guard mode == "delete" else { throw StorageError.busy }
    }
  }
}

extension MigrationPlan {
  /// Reads the whole of a file, which has to be a sound store's database, older or not. Returns its schema.
  func requireStore(_ connection: SQLiteConnection, path: String) throws -> Int {
    try SQLiteDatabase.requireSound(connection, "integrity_check", path)
    switch try check(connection, path: path) {
    case .empty: throw DatabaseCopyError.empty(path)
    case .older(let found): return found
    case .current: return newest
    }
  }
}
