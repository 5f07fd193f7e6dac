public import Foundation
package import GRDB
import GRDBSQLite

extension SQLiteDatabase {
  /// Timeout of a connection for a lock of another process, in seconds.
  package static let busyTimeout: TimeInterval = 5

  /// The largest file whose integrity is checked before it is opened, which takes a fraction of a second: 64 MiB. A
  /// larger file is checked while the store serves (``damage()``), so that the store can sell before the check ends.
  public static let checkedSize: Int64 = 64 << 20

  /// Opens the store's file, or creates it with rights for its owner only. A locked, damaged, foreign or newer file is
  /// refused before anything is changed.
  ///
  /// - Parameters:
  ///   - olderSchema: whether the tables are brought up to date.
  ///   - makesTables: whether a missing file is made and a file without tables gets them; otherwise it is rejected.
  ///   - checkedSize: up to which size, in bytes, the whole file is checked first.
  public static func open(
    at path: String, migrations: [Migration], now: Date, olderSchema: OlderSchema = .migrate,
    makesTables: Bool = true, checkedSize: Int64 = SQLiteDatabase.checkedSize
  ) throws -> SQLiteDatabase {
    let plan = MigrationPlan(migrations)
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      throw DatabaseOpenError.unreadable(path: path, reason: "expected a file, got a folder")
    }
    try requireFileOfLog(path)
    guard makesTables || StoreFile(path).size > 0 else { throw DatabaseOpenError.empty(path: path) }
    return try explaining(path) {
      let lock = try DatabaseLock(database: path)
      try lock.share()
      try StoreFile(path).create()
      try StoreFile(path).flushFolder()
      let isChecked = StoreFile(path).size + StoreFile(path).writeAheadLog.size <= checkedSize
      let state = try inspect(path, plan: plan, whole: isChecked)
      guard makesTables || state != .empty else { throw DatabaseOpenError.empty(path: path) }
      let change = try prepare(path, plan: plan, state: state, olderSchema: olderSchema, lock: lock)
      let pool = try makePool(path)
      if state != .current { try plan.apply(to: pool, path: path, now: now) }
      try lock.share()
      return SQLiteDatabase(pool: pool, path: path, lock: lock, schemaChange: change, isChecked: isChecked)
    }
  }

  /// Checks before a migration that it is allowed and that no other program has the database open.
  private static func prepare(
    _ path: String, plan: MigrationPlan, state: SchemaState, olderSchema: OlderSchema, lock: DatabaseLock
  ) throws -> SchemaChange? {
    guard case .older(let found) = state else { return nil }
    guard olderSchema == .migrate else {
      throw DatabaseOpenError.olderVersion(path: path, found: found, known: plan.newest)
    }
    try lock.takeAlone()
    try requireAlone(path)
    return SchemaChange(from: found, to: plan.newest)
  }

  /// Adds the file's path to the errors of a closure.
  package static func explaining<T>(_ path: String, _ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as GRDB.DatabaseError {
      throw openError(error, at: path)
    } catch let error as StorageError {
      throw openError(error, at: path)
    } catch let error as FileError {
      throw DatabaseOpenError.unreadable(path: error.path, reason: error.reason)
    }
  }

  /// Looks at an existing file without changing it.
  private static func inspect(_ path: String, plan: MigrationPlan, whole: Bool) throws -> SchemaState {
    let queue = try reader(path, busyTimeout: 1)
    defer { try? queue.close() }
    return try queue.read { database in
      let connection = SQLiteConnection(database: database)
      if whole { try requireSound(connection, check: "quick_check", path: path) }
      return try plan.checkUnmoved(connection, path: path)
    }
  }

  /// Throws if a write-ahead log is there without its file: SQLite deletes the log, with the newest commits, as soon as
  /// it opens an empty file, even to read.
  private static func requireFileOfLog(_ path: String) throws {
    let (file, log) = (StoreFile(path), StoreFile(path).writeAheadLog)
    guard file.size == 0, log.size > 0 else { return }
    throw DatabaseOpenError.unreadable(
      path: path,
      reason: "the file is missing or empty, but its log \(log.path) is there, with the newest commits. "
        + "Put the file back beside its log, or move the log away")
  }

  /// Throws ``DatabaseOpenError/damaged(path:finding:)`` if the file fails SQLite's integrity check. Changes nothing:
  /// an open database changes its file when it is closed.
  public static func requireSound(_ path: String) throws {
    try requireFileOfLog(path)
    try explaining(path) {
      let queue = try reader(path)
      defer { try? queue.close() }
      try queue.read {
        try requireSound(SQLiteConnection(database: $0), check: "integrity_check", path: path)
      }
    }
  }

  /// A connection of its own that changes nothing.
  package static func reader(_ path: String, busyTimeout: TimeInterval = busyTimeout) throws -> DatabaseQueue {
    var configuration = GRDB.Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(busyTimeout)
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// Reads the whole file: `quick_check` leaves out whether indexes agree with their tables, `integrity_check` does
  /// not.
  package static func requireSound(_ connection: SQLiteConnection, check: String, path: String) throws {
    let finding = try connection.row("PRAGMA \(check)(1)")?.text(check) ?? "no answer"
    guard finding == "ok" else { throw DatabaseOpenError.damaged(path: path, finding: finding) }
  }

  private static func makePool(_ path: String) throws -> DatabasePool {
    var configuration = GRDB.Configuration()
    configuration.busyMode = .timeout(busyTimeout)
    configuration.maximumReaderCount = 4
    configuration.prepareDatabase {
      try $0.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = ON")
    }
    let pool = try DatabasePool(path: path, configuration: configuration)
    // GRDB sets NORMAL while it switches to WAL, after prepareDatabase: a commit would not be flushed.
    let level = try pool.writeWithoutTransaction { database in
      try database.execute(
        sql: "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -65536")
      return try Int.fetchOne(database, sql: "PRAGMA synchronous")
    }
    precondition(level == 2, "SQLite does not flush every commit (synchronous is \(level ?? -1), must be 2)")
    return pool
  }

  private static func openError(_ error: any Error, at path: String) -> DatabaseOpenError {
    switch StorageError(error) {
    case .busy: .locked(path: path)
    case .damaged(let finding): .damaged(path: path, finding: finding)
    case .full: .unreadable(path: path, reason: "the disk is full. Make room and try again")
    case .failed(_, let message), .unavailable(_, let message): .unreadable(path: path, reason: message)
    case let other: .unreadable(path: path, reason: "\(other)")
    }
  }
}
