public import Foundation
import GRDB
import GRDBSQLite

extension SQLiteDatabase {
  /// How long a connection waits for another process, in seconds.
  private static let busyTimeout: TimeInterval = 5

  /// Opens the store's file, made with rights for the owner alone if it is not there, and brings its tables up to date.
  /// A locked, damaged, foreign or newer file is refused before anything is changed.
  public static func open(
    at path: String, migrations: [Migration] = Migration.all, now: Date
  ) throws -> SQLiteDatabase {
    do {
      try createIfMissing(path)
      try inspect(path, MigrationPlan(migrations))
      let pool = try makePool(path)
      try MigrationPlan(migrations).apply(to: pool, path: path, now: now)
      return SQLiteDatabase(pool: pool)
    } catch let error as GRDB.DatabaseError {
      throw openError(error, path)
    } catch let error as StorageError {
      throw openError(error, path)
    }
  }

  private static func createIfMissing(_ path: String) throws {
    try synchronize(path, O_RDWR | O_CREAT | O_CLOEXEC)
    // The file's name is on disk only when its folder is.
    try synchronize(URL(filePath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  }

  private static func synchronize(_ path: String, _ flags: Int32) throws {
    let descriptor = Glibc.open(path, flags, 0o600)
    guard descriptor >= 0 else {
      throw DatabaseOpenError.unreadable(path: path, reason: String(cString: strerror(errno)))
    }
    defer { Glibc.close(descriptor) }
    fsync(descriptor)
  }

  /// Looks at an existing file without changing it.
  private static func inspect(_ path: String, _ plan: MigrationPlan) throws {
    var configuration = GRDB.Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(1)
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? queue.close() }
    try queue.read { database in
      let connection = SQLiteConnection(database: database)
      let finding = try connection.row("PRAGMA quick_check(1)")?.text("quick_check") ?? "no answer"
      guard finding == "ok" else { throw DatabaseOpenError.damaged(path: path, finding: finding) }
      try plan.check(connection, path: path)
    }
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

  private static func openError(_ error: any Error, _ path: String) -> DatabaseOpenError {
    switch StorageError(error) {
    case .busy: .locked(path: path)
    case .damaged(let finding): .damaged(path: path, finding: finding)
    case .full: .unreadable(path: path, reason: "the disk is full. Make room and try again")
    case .failed(_, let message), .unavailable(_, let message): .unreadable(path: path, reason: message)
    case let other: .unreadable(path: path, reason: "\(other)")
    }
  }
}
