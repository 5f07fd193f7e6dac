import GRDB

/// The store's data in one SQLite file: a writer that commits waiting writes together, and readers beside it.
/// A write returns only after it has been flushed to the disk (`synchronous=FULL`).
public final class SQLiteDatabase: Database {
  private let pool: DatabasePool
  private let committer: GroupCommitter
  let condition: DatabaseCondition
  let path: String
  private let lock: DatabaseLock
  /// What opening did to the tables; nil when they were up to date, or new.
  public let schemaChange: SchemaChange?
  /// Whether the whole file was checked when it was opened.
  let isChecked: Bool

  /// Takes a pool whose writer was asserted to flush every commit; see
  /// ``open(at:migrations:now:olderSchema:checkedSize:)``.
  init(pool: DatabasePool, path: String, lock: DatabaseLock, schemaChange: SchemaChange?, isChecked: Bool) {
    self.pool = pool
    self.path = path
    self.lock = lock
    self.schemaChange = schemaChange
    self.isChecked = isChecked
    let condition = DatabaseCondition()
    self.condition = condition
    committer = GroupCommitter { batch in Self.commit(batch, to: pool, condition: condition) }
  }

  /// Reads a consistent state, beside other readers and the writer.
  public func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
    do {
      return try await pool.read { try body(SQLiteConnection(database: $0)) }
    } catch {
      let error = (error as? GRDB.DatabaseError).map(StorageError.init) ?? error
      condition.note(error)
      throw error
    }
  }

  /// Changes the state together with other waiting writes; returns after the flush and after the commit hook's part.
  @discardableResult
  public func write<T: Sendable>(
    beside commitHook: (any CommitHook)?, _ body: @escaping @Sendable (any SQLConnection) throws -> T
  ) async throws -> T {
    try await committer.write(beside: commitHook, body)
  }

  /// What kept the last write from the disk; nil when it was written.
  public var writeFailure: StorageError? { condition.writeFailure }

  /// How many commits have written something since the file was opened.
  public var writtenCommits: Int { condition.writtenCommits }

  /// The first damage that was found since the file was opened.
  public var foundDamage: String? { condition.damage }

  /// False: a file of one machine.
  public var isOnServer: Bool { false }

  /// How many writes wait for their commit.
  public var waitingWrites: Int { committer.waitingCount }

  /// The sizes of the file and of the write-ahead log.
  public func sizes() async throws -> DatabaseSizes {
    DatabaseSizes(data: StoreFile(path).size, log: StoreFile(path).writeAheadLog.size)
  }

  /// Reports each commit from now on.
  public func observeCommits(_ observer: @escaping @Sendable (CommitReport) -> Void) { condition.observe(observer) }

  /// Commits what was accepted and closes the file. The last program to close leaves everything in that one file, so
  /// that a copy of it is whole; before that, a checkpoint would only be in the other programs' way.
  public func close() async {
    await committer.close()
    if lock.tryAlone() {
      _ = try? await pool.writeWithoutTransaction { database in
        try SQLiteConnection(database: database).rows("PRAGMA wal_checkpoint(TRUNCATE)")
      }
    }
    // A reader may still be busy; the file is consistent either way, and the process is about to end.
    try? pool.close()
    lock.release()
  }

  private static func commit(
    _ batch: [WriteJob], to pool: DatabasePool, condition: DatabaseCondition
  ) -> () -> Void {
    var commit = SharedCommit(of: batch)
    // The machine's own clock: this is the time of its disk, which no store's clock moves.
    let start = ContinuousClock.now
    var failure: StorageError?
    do {
      try pool.writeWithoutTransaction { try commit.run(in: SQLiteConnection(database: $0)) }
      commit.end()
    } catch { failure = StorageError(error) }
    condition.ended(commit, failure: failure, after: ContinuousClock.now - start)
    return { [commit, failure] in commit.settle(failure) }
  }
}
