import GRDB
import GRDBSQLite

extension SQLiteConnection: SharedConnection {
  package func begin() throws(StorageError) { try execute("BEGIN IMMEDIATE") }
  package func beginJob() throws(StorageError) { try execute("SAVEPOINT job") }
  package func keepJob() throws(StorageError) { try execute("RELEASE job") }
  package func commit() throws(StorageError) { try execute("COMMIT") }

  package func undoJob() throws(StorageError) {
    try execute("ROLLBACK TO job")
    try execute("RELEASE job")
  }

  package func rollback() throws(StorageError) {
    if database.isInsideTransaction { try execute("ROLLBACK") }
  }

  /// A full disk or an I/O error may end the whole transaction.
  package func interruption(after failure: (any Error)?) -> StorageError? {
    database.isInsideTransaction ? nil : failure.map(StorageError.init) ?? .full
  }

  /// None: SQLite undoes a failed statement alone.
  package var lostPart: StorageError? { nil }

  /// How many pages the connection has written so far, modulo 2³¹.
  package var written: Int {
    var (count, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(database.sqliteConnection, SQLITE_DBSTATUS_CACHE_WRITE, &count, &highest, 0)
    return Int(count)
  }
}
