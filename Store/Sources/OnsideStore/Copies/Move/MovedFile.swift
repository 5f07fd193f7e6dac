import GRDB
import StoreBase

/// The SQLite file of a store that is moved.
struct MovedFile {
  let connection: StoreBase.SQLiteConnection
  private let path: String

  init(_ connection: StoreBase.SQLiteConnection, path: String) {
    self.connection = connection
    self.path = path
  }

  /// Locks the file until the connection is closed, over several transactions; the first one is begun.
  func lock() throws {
    _ = try connection.rows("PRAGMA locking_mode = EXCLUSIVE")
    try connection.execute("PRAGMA synchronous = FULL")
    try connection.execute("BEGIN EXCLUSIVE")
  }

  /// Ends the transaction, if one is open.
  func rollback() { try? connection.rollback() }

  /// The mark of this or an earlier move.
  func mark() throws -> MovedMark? {
    try connection.tableNames().contains("settings") ? MovedMark.read(connection) : nil
  }

  /// Requires a store's database of this program's schema.
  func requireCurrent(_ plan: MigrationPlan) throws {
    switch try plan.check(connection, path: path) {
    case .current: break
    case .empty: throw DatabaseOpenError.notAStore(path: path)
    case .older(let found): throw DatabaseOpenError.olderVersion(path: path, found: found, known: plan.newest)
    }
  }

  /// Writes the mark and flushes it.
  func write(_ mark: MovedMark) throws { try commit { try mark.write(connection) } }

  /// Takes the mark away again: the move has not taken place.
  func removeMark() throws { try commit { try MovedMark.remove(from: connection) } }

  private func commit(_ change: () throws -> Void) throws {
    if !connection.database.isInsideTransaction { try connection.execute("BEGIN EXCLUSIVE") }
    try change()
    try connection.commit()
  }
}
