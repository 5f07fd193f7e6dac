import GRDB

/// Several writers' jobs in one transaction of SQLite.
struct SharedCommit {
  private let batch: [WriteJob]
  private var outcomes: [WriteJob.Outcome] = []
  /// What the commit hooks do after the commit.
  private var endings: [ObjectIdentifier: @Sendable () throws -> Void] = [:]
  /// What went wrong there.
  private var errors: [ObjectIdentifier: StorageError] = [:]
  /// Whether the commit had anything to write.
  private(set) var hasWritten = false

  init(of batch: [WriteJob]) { self.batch = batch }

  /// Runs the jobs and commits them. A job that fails leaves nothing; an error here undoes them all.
  mutating func run(in connection: SQLiteConnection) throws(StorageError) {
    let writtenBefore = connection.writtenPages
    try connection.execute("BEGIN IMMEDIATE")
    do throws(StorageError) {
      for job in batch { try run(job, in: connection) }
      try runCommitHooks(in: connection)
      checkpoint("commit.before")
      try connection.execute("COMMIT")
      hasWritten = connection.writtenPages != writtenBefore
      checkpoint("commit.after")
    } catch {
      if connection.database.isInsideTransaction { try connection.execute("ROLLBACK") }
      throw error
    }
  }

  private mutating func run(_ job: WriteJob, in connection: SQLiteConnection) throws(StorageError) {
    try connection.execute("SAVEPOINT job")
    let outcome = job.run(connection)
    outcomes.append(outcome)
    // A full disk or an I/O error may have ended the whole transaction, not only this job's part of it.
    guard connection.database.isInsideTransaction else { throw outcome.failure.map(StorageError.init) ?? .full }
    if outcome.failure != nil { try connection.execute("ROLLBACK TO job") }
    try connection.execute("RELEASE job")
  }

  private mutating func runCommitHooks(in connection: SQLiteConnection) throws(StorageError) {
    for (job, outcome) in zip(batch, outcomes) where outcome.failure == nil {
      guard let commitHook = job.commitHook, endings[ObjectIdentifier(commitHook)] == nil else { continue }
      do { endings[ObjectIdentifier(commitHook)] = try commitHook.takePart(in: connection) } catch {
        throw StorageError(error)
      }
    }
  }

  /// The errors of jobs that the database has thrown.
  var storageErrors: [StorageError] { outcomes.compactMap { $0.failure as? StorageError } }

  /// The first error of a job that is the disk's, not the job's own.
  var diskFailure: StorageError? {
    for error in storageErrors {
      switch error {
      case .full, .unavailable: return error
      default: continue
      }
    }
    return nil
  }

  /// The commit hooks' part after the commit.
  mutating func end() {
    for (commitHook, ending) in endings {
      do { try ending() } catch { errors[commitHook] = StorageError(error) }
    }
  }

  /// Tells every writer what came of its job.
  func settle(_ error: StorageError?) {
    for (job, outcome) in zip(batch, outcomes) {
      outcome.settle(error ?? job.commitHook.flatMap { errors[ObjectIdentifier($0)] })
    }
    for job in batch.dropFirst(outcomes.count) { job.refuse(error ?? .closed) }
  }
}
