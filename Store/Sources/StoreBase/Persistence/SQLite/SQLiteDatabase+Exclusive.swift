import GRDB

extension SQLiteDatabase {
  /// Requires that no other program has the database open, and moves the write-ahead log into the database's one file.
  /// It also finds programs that do not know ``DatabaseLock``: SQLite's shell, or a store of an earlier version.
  package static func requireAlone(_ path: String) throws {
    do {
      let queue = try DatabaseQueue(path: path)
      defer { try? queue.close() }
      try queue.leaveOneFile()
    } catch {
      guard StorageError(error) == .busy else { throw error }
      throw DatabaseOpenError.inUse(path: path)
    }
  }

  /// Refuses a file whose store was moved to PostgreSQL.
  package static func requireNotMoved(_ path: String) throws {
    let queue = try reader(path)
    defer { try? queue.close() }
    try queue.read { try MovedMark.requireNone(in: SQLiteConnection(database: $0), path: path) }
  }
}

extension DatabaseQueue {
  /// Puts everything into the one file, which needs no other beside it from then on. Throws when another connection has
  /// the file open.
  package func leaveOneFile() throws {
    try writeWithoutTransaction { database in
      let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE")
      guard mode == "delete" else { throw StorageError.busy }
    }
  }
}
