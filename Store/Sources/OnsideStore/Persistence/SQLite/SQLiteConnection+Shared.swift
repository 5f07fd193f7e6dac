import GRDB
import GRDBSQLite

extension SQLiteConnection: SharedConnection {
  func begin() throws(StorageError) { try execute("BEGIN IMMEDIATE") }
  func beginJob() throws(StorageError) { try execute("SAVEPOINT job") }
  func keepJob() throws(StorageError) { try execute("RELEASE job") }
  func commit() throws(StorageError) { try execute("COMMIT") }

  func undoJob() throws(StorageError) {
    try execute("ROLLBACK TO job")
    try execute("RELEASE job")
  }

  func rollback() throws(StorageError) {
    if database.isInsideTransaction { try execute("ROLLBACK") }
  }

  /// A full disk or an I/O error may end the whole transaction.
  func interruption(after failure: (any Error)?) -> StorageError? {
    database.isInsideTransaction ? nil : failure.map(StorageError.init) ?? .full
  }

  /// None: SQLite undoes a failed statement alone.
  var lostPart: StorageError? { nil }

  /// How many pages the connection has written so far, modulo 2³¹.
  var written: Int {
    var (count, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(database.sqliteConnection, SQLITE_DBSTATUS_CACHE_WRITE, &count, &highest, 0)
    return Int(count)
  }
}
