import PostgresClient

extension PostgresSQLConnection: SharedConnection {
  /// The number of the lock that each writer of each process takes: "onside". Like SQLite's one writer, what a closure
  /// has read is still true when it commits.
  private static let writeLock: Int64 = 0x6f6e_7369_6465

  /// The number of the lock that each serving process holds, shared; who changes the tables takes it alone.
  private static let useLock: Int64 = 0x6f6e_7369_6466

  /// The statement by which a session keeps others from changing the tables.
  static var use: String { "SELECT pg_advisory_lock_shared(\(useLock))" }

  /// Begins a change of the tables, with the writers' lock. Throws `busy` when a store serves from the database, or
  /// another program writes to it, for longer than half a second.
  func beginSchemaChange() throws(StorageError) {
    try script(
      """
      BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = 500;
      SELECT pg_advisory_xact_lock(\(Self.useLock)); SELECT pg_advisory_xact_lock(\(Self.writeLock));
      SET LOCAL lock_timeout = 0
      """)
  }

  package func begin() throws(StorageError) {
    try script("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT pg_advisory_xact_lock(\(Self.writeLock))")
  }

  /// Savepoints of the jobs before are released in the same round trip, or with the commit. One that was rolled back to
  /// is still there.
  package func beginJob() throws(StorageError) {
    switch savepoint {
    case .none: try script("SAVEPOINT job")
    case .kept: try script("RELEASE SAVEPOINT job; SAVEPOINT job")
    case .fresh: break
    }
    savepoint = .fresh
    writtenBefore = written
  }

  package func keepJob() throws(StorageError) { savepoint = .kept }

  package func undoJob() throws(StorageError) {
    forgetFailure()
    written = writtenBefore
    try script("ROLLBACK TO SAVEPOINT job")
  }

  package func commit() throws(StorageError) {
    try run { () throws(PostgresError) in try connection.commit() }
  }

  package func rollback() throws(StorageError) { connection.rollback() }

  package func interruption(after failure: (any Error)?) -> StorageError? {
    guard let own = self.failure else { return nil }
    return mayRunAgain || !connection.isOpen ? StorageError(own) : nil
  }

  /// PostgreSQL runs nothing more after a failed statement until its savepoint is rolled back to.
  package var lostPart: StorageError? { failure.map(StorageError.init) }

  private func script(_ sql: String) throws(StorageError) {
    try run { () throws(PostgresError) in try connection.run(script: sql) }
  }
}
