public import Foundation
import GRDB
public import StoreBase
import StoreSales

/// Puts a backup in the place of a database that no program has open.
public struct DatabaseRestore: Sendable {
  /// What was done.
  public struct Outcome: Sendable, Equatable {
    /// What is in place now.
    public let copy: DatabaseCopy
    /// Whether its schema is older than the program's.
    public let isOlder: Bool
    /// Where the database is that was in place before; nil when there was none, as always on PostgreSQL.
    public let kept: String?
  }

  private let database: String
  private let plan: MigrationPlan
  private let random: any RandomSource

  /// - Parameter path: the database file, which need not be there.
  public init(
    of path: String, migrations: [Migration] = Migration.all, random: any RandomSource = SystemRandom()
  ) {
    database = path
    plan = MigrationPlan(migrations)
    self.random = random
  }

  /// Copies the backup beside the database, checks it, lets every device's sync start over in it, suspends its charges,
  /// keeps the database under another name, and puts the copy in its place. Until that last step, and after an error,
  /// everything is as it was.
  ///
  /// - Parameters:
  ///   - path: the backup, which stays as it is.
  ///   - now: names the database that is kept, and begins the new epoch.
  public func put(_ path: String, now: Date) throws -> Outcome {
    let (backup, target) = (StoreFile(path), StoreFile(database))
    guard backup.exists else { throw DatabaseCopyError.missing(path) }
    guard !backup.isSame(as: target) else { throw DatabaseCopyError.sameFile(path) }
    let lock = try DatabaseLock(database: database)
    try lock.takeAlone()
    try requireAlone(target)
    // Under the lock no other restore has files of this name; what is there was left by one that was cut short.
    let part = StoreFile(database + ".restoring")
    try Self.remove(part)
    do {
      let schema = try prepare(part, from: backup, at: now)
      let copy = DatabaseCopy(schema: schema, size: part.size)
      let kept = try backUp(target, at: now)
      do { try part.rename(to: target) } catch {
        Self.undoBackUp(kept, to: target)
        throw error
      }
      try target.flushFolder()
      return Outcome(copy: copy, isOlder: schema < plan.newest, kept: kept?.path)
    } catch {
      try? Self.remove(part)
      throw error
    }
  }

  /// Moves the write-ahead log into the database, so that one file is all there is to keep, and requires that no other
  /// program has it open.
  private func requireAlone(_ target: StoreFile) throws {
    guard target.exists else { return }
    do {
      try SQLiteDatabase.requireAlone(target.path)
      try SQLiteDatabase.requireNotMoved(target.path)
    } catch let error as DatabaseOpenError {
      throw error
    } catch {
      // A database that cannot be read is the best reason for a restore; it is kept with its log.
    }
  }

  private func prepare(_ part: StoreFile, from backup: StoreFile, at now: Date) throws -> Int {
    try copy(backup.path, to: part.path)
    if backup.writeAheadLog.size > 0 { try copy(backup.writeAheadLog.path, to: part.writeAheadLog.path) }
    let schema = try SQLiteDatabase.explaining(backup.path) {
      let queue = try DatabaseQueue(path: part.path)
      let fresh = SyncEpoch.fresh(random)
      let schema = try queue.writeWithoutTransaction { database in
        let connection = SQLiteConnection(database: database)
        let schema = try plan.requireStore(connection, path: backup.path)
        try SyncEpoch.set(fresh, at: now, in: connection)
        try ChargeSuspension.begin(in: connection)
        return schema
      }
      try queue.leaveOneFile()
      try queue.close()
      return schema
    }
    try part.flush()
    return schema
  }

  /// Copies with the rights that the database has.
  private func copy(_ from: String, to path: String) throws {
    do {
      try FileManager.default.copyItem(atPath: from, toPath: path)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    } catch {
      throw FileError(path: from, reason: "it cannot be copied to \(path): \(error)")
    }
  }

  /// Links the database to a second name, under which it stays when the copy takes the first one. Where the file system
  /// has hard links, the database has a name at every moment.
  private func backUp(_ target: StoreFile, at now: Date) throws -> StoreFile? {
    let stamp = now.ISO8601Format(.init(timeZone: .gmt)).filter { $0 != ":" && $0 != "-" }
    let kept = StoreFile("\(target.path).before-restore-\(stamp)")
    guard !kept.exists else { throw DatabaseCopyError.exists(kept.path) }
    do {
      for suffix in StoreFile.logSuffixes where StoreFile(target.path + suffix).exists {
        try StoreFile(target.path + suffix).rename(to: StoreFile(kept.path + suffix))
      }
      guard target.exists else { return nil }
      // Without hard links the file is renamed.
      if link(target.path, kept.path) != 0 { try target.rename(to: kept) }
      return kept
    } catch {
      Self.undoBackUp(kept, to: target)
      throw error
    }
  }

  /// Undoes ``backUp(_:at:)``.
  private static func undoBackUp(_ kept: StoreFile?, to target: StoreFile) {
    guard let kept else { return }
    for suffix in [""] + StoreFile.logSuffixes {
      let (file, name) = (StoreFile(kept.path + suffix), StoreFile(target.path + suffix))
      if name.exists { try? file.remove() } else if file.exists { try? file.rename(to: name) }
    }
  }

  private static func remove(_ part: StoreFile) throws {
    for file in part.databaseFiles { try file.remove() }
  }
}
