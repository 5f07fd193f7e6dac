import Dispatch
import Synchronization

/// One caller's work in a shared transaction.
struct WriteJob: Sendable {
  /// What came of the work; the caller learns it only after the commit.
  struct Outcome: Sendable {
    /// Why the work was not done; nil when it was.
    let failure: (any Error)?
    /// Tells the caller. With an error, the commit failed and the work is undone.
    let settle: @Sendable (StorageError?) -> Void
  }

  /// Who takes part in the commit of this work.
  let companion: (any CommitCompanion)?
  let run: @Sendable (any SQLConnection) -> Outcome
  /// Tells the caller that the work was not run.
  let refuse: @Sendable (StorageError) -> Void
}

/// Commits waiting writes together: whoever arrives while one batch commits is in the next one. There is no timer,
/// and a lone write commits at once.
final class GroupCommitter: Sendable {
  private struct State {
    var waiting: [WriteJob] = []
    var isRunning = false
    var isClosed = false
    var closers: [CheckedContinuation<Void, Never>] = []
  }

  /// The most jobs that share one commit.
  static let batchLimit = 256

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "onside.store.commit", qos: .userInitiated)
  private let commit: @Sendable ([WriteJob]) -> () -> Void

  /// `commit` runs a batch in one transaction; what it returns tells the writers.
  init(commit: @escaping @Sendable ([WriteJob]) -> () -> Void) {
    self.commit = commit
  }

  func enqueue(_ job: WriteJob) {
    let (isAccepted, mustStart) = state.withLock { state in
      if state.isClosed { return (false, false) }
      state.waiting.append(job)
      defer { state.isRunning = true }
      return (true, !state.isRunning)
    }
    if !isAccepted { return job.refuse(.closed) }
    if mustStart { queue.async { self.commitWaiting() } }
  }

  /// Refuses new work and returns when the accepted work is committed.
  func close() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        state.isClosed = true
        if state.isRunning { state.closers.append(continuation) }
        return !state.isRunning
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Commits what waits. The next commit comes behind everything that was ready to run before these writers are told:
  /// it may bring more, and a flush that many share costs each of them less. On an idle machine that is at once.
  private func commitWaiting() {
    guard let batch = nextBatch() else { return }
    let tell = commit(batch)
    Task { queue.async { self.commitWaiting() } }
    tell()
  }

  private func nextBatch() -> [WriteJob]? {
    let (batch, closers) = state.withLock { state -> ([WriteJob], [CheckedContinuation<Void, Never>]) in
      let batch = Array(state.waiting.prefix(Self.batchLimit))
      state.waiting.removeFirst(batch.count)
      guard batch.isEmpty else { return (batch, []) }
      state.isRunning = false
      defer { state.closers = [] }
      return ([], state.closers)
    }
    for closer in closers { closer.resume() }
    return batch.isEmpty ? nil : batch
  }
}
