/// A connection whose transaction several writers share.
package protocol SharedConnection: SQLConnection {
  /// Begins the transaction. No other writer changes anything until it ends.
  func begin() throws(StorageError)
  /// Begins a job's part, which can be undone by itself.
  func beginJob() throws(StorageError)
  /// Keeps the job's part.
  func keepJob() throws(StorageError)
  /// Undoes the job's part.
  func undoJob() throws(StorageError)
  /// Commits the transaction.
  func commit() throws(StorageError)
  /// Rolls the transaction back, if there is still one.
  func rollback() throws(StorageError)
  /// What has ended the whole transaction, and not only the part of the job that had this error.
  func interruption(after failure: (any Error)?) -> StorageError?
  /// The error of a statement with which the connection has lost the job's part, although the job went on.
  var lostPart: StorageError? { get }
  /// A number that a commit changes when it had something to write.
  var written: Int { get }
}

/// Several writers' jobs in one transaction.
struct SharedCommit: Sendable {
  private let batch: [WriteJob]
  private var outcomes: [WriteJob.Outcome] = []
  /// What the commit hooks do after the commit.
  private var endings: [ObjectIdentifier: @Sendable () throws -> Void] = [:]
  /// What went wrong there.
  private var errors: [ObjectIdentifier: StorageError] = [:]
  /// Whether the commit had anything to write.
  private(set) var hasWritten = false

  init(of batch: [WriteJob]) { self.batch = batch }

  /// How many writes share it.
  var writes: Int { batch.count }

  /// Runs the jobs and commits them. A job that fails leaves nothing; an error here undoes them all.
  mutating func run(in connection: some SharedConnection) throws(StorageError) {
    let writtenBefore = connection.written
    try connection.begin()
    do throws(StorageError) {
      for job in batch { try run(job, in: connection) }
      try runCommitHooks(in: connection)
      checkpoint("commit.before")
      try connection.commit()
      hasWritten = connection.written != writtenBefore
      checkpoint("commit.after")
    } catch {
      try connection.rollback()
      throw error
    }
  }

  private mutating func run(_ job: WriteJob, in connection: some SharedConnection) throws(StorageError) {
    try connection.beginJob()
    var outcome = job.run(connection)
    if outcome.failure == nil, let lostPart = connection.lostPart { outcome = outcome.failing(lostPart) }
    outcomes.append(outcome)
    if let interruption = connection.interruption(after: outcome.failure) { throw interruption }
    if outcome.failure == nil { try connection.keepJob() } else { try connection.undoJob() }
  }

  private mutating func runCommitHooks(in connection: some SharedConnection) throws(StorageError) {
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
      case .full, .unavailable, .unreachable: return error
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

  /// Tells every writer what came of its job. The commit's error goes to a job that failed by itself, too: it may have
  /// failed because of another job's row, which is not there now.
  func settle(_ error: StorageError?) {
    for (job, outcome) in zip(batch, outcomes) {
      let hookError = outcome.failure == nil ? job.commitHook.flatMap { errors[ObjectIdentifier($0)] } : nil
      outcome.settle(error ?? hookError)
    }
    for job in batch.dropFirst(outcomes.count) { job.refuse(error ?? .closed) }
  }
}
