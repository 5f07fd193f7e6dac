/// The writes of one caller in a shared transaction.
struct WriteJob: Sendable {
  /// The result of a job; the caller gets it only after the commit.
  struct Outcome: Sendable {
    /// The error of the job; nil when it succeeded.
    let failure: (any Error)?
    /// Resumes the caller with the result. With an error, the commit failed and the writes are rolled back.
    let settle: @Sendable (StorageError?) -> Void

    /// The same job, but its part cannot be kept.
    func failing(_ error: StorageError) -> Outcome {
      Outcome(failure: error) { settle($0 ?? error) }
    }
  }

  /// The hook of the commit that contains this job.
  let commitHook: (any CommitHook)?
  let run: @Sendable (any SQLConnection) -> Outcome
  /// Resumes the caller with the error that kept the job from running.
  let refuse: @Sendable (StorageError) -> Void
}
