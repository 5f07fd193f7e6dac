import GRDB

/// The store's data in one SQLite file: a writer that commits waiting writes together, and readers beside it.
/// A write returns only after it has been flushed to the disk (`synchronous=FULL`).
public final class SQLiteDatabase: Database {
  private let pool: DatabasePool
  private let committer: GroupCommitter

  /// Takes a pool whose writer was asserted to flush every commit; see ``open(at:migrations:now:)``.
  init(pool: DatabasePool) {
    self.pool = pool
    committer = GroupCommitter { batch in Self.commit(batch, to: pool) }
  }

  /// Reads a consistent state, beside other readers and the writer.
  public func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
    do {
      return try await pool.read { try body(SQLiteConnection(database: $0)) }
    } catch let error as GRDB.DatabaseError {
      throw StorageError(error)
    }
  }

  /// Changes the state together with other waiting writes; returns after the flush.
  @discardableResult
  public func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
      let job = WriteJob { connection in
        let result = Result { try body(connection) }
        let failure: (any Error)? = if case .failure(let error) = result { error } else { nil }
        return WriteJob.Outcome(failure: failure) { commitError in
          if let commitError, failure == nil {
            continuation.resume(throwing: commitError)
          } else {
            continuation.resume(with: result)
          }
        }
      } refuse: {
        continuation.resume(throwing: $0)
      }
      committer.enqueue(job)
    }
  }

  /// SQLite's data version as the writer sees it: its own commits do not change it.
  public func changeToken() async throws -> Int64 {
    try await pool.writeWithoutTransaction { database in
      try SQLiteConnection(database: database).row("PRAGMA data_version")?.integer("data_version") ?? 0
    }
  }

  /// Empties the write-ahead log into the file, whose free places are overwritten (`secure_delete`).
  public func clearDeleted() async throws -> Bool {
    try await pool.writeWithoutTransaction { database in
      try SQLiteConnection(database: database).row("PRAGMA wal_checkpoint(TRUNCATE)")?.integer("busy") == 0
    }
  }

  /// Commits what was accepted and closes the file.
  public func close() async {
    await committer.close()
    // A reader may still be busy; the file is consistent either way, and the process is about to end.
    try? pool.close()
  }

  private static func commit(_ batch: [WriteJob], to pool: DatabasePool) {
    var outcomes: [WriteJob.Outcome] = []
    let error: StorageError?
    do {
      try pool.writeWithoutTransaction { try run(batch, in: SQLiteConnection(database: $0), outcomes: &outcomes) }
      error = nil
    } catch let failure {
      error = StorageError(failure)
    }
    for outcome in outcomes { outcome.settle(error) }
    for job in batch.dropFirst(outcomes.count) { job.refuse(error ?? .closed) }
  }

  private static func run(
    _ batch: [WriteJob], in connection: SQLiteConnection, outcomes: inout [WriteJob.Outcome]
  ) throws(StorageError) {
    try connection.execute("BEGIN IMMEDIATE")
    do throws(StorageError) {
      for job in batch {
        try connection.execute("SAVEPOINT job")
        let outcome = job.run(connection)
        outcomes.append(outcome)
        // A full disk or an I/O error may have ended the whole transaction, not only this job's part of it.
        guard connection.database.isInsideTransaction else { throw outcome.failure.map(StorageError.init) ?? .full }
        if outcome.failure != nil { try connection.execute("ROLLBACK TO job") }
        try connection.execute("RELEASE job")
      }
      checkpoint("commit.before")
      try connection.execute("COMMIT")
      checkpoint("commit.after")
    } catch {
      if connection.database.isInsideTransaction { try connection.execute("ROLLBACK") }
      throw error
    }
  }
}
