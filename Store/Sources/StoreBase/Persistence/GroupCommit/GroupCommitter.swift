import Dispatch
import Synchronization
import Tracing

/// The group commit of writes: writes that arrive while one batch commits form the next batch. There is no timer, and a
/// single write commits at once. Background writes (``WritePriority``) join a batch a few at a time.
final class GroupCommitter: Sendable {
  private struct State {
    var waiting: [WriteJob] = []
    var background: [WriteJob] = []
    var isRunning = false
    var isClosed = false
    var closers: [CheckedContinuation<Void, Never>] = []
  }

  /// The most jobs with a waiting caller that share one commit.
  static let batchLimit = 256
  /// The most background jobs that a commit takes besides: the next caller waits for them, too.
  static let backgroundLimit = 4

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "onside.store.commit", qos: .userInitiated)
  private let commit: @Sendable ([WriteJob]) -> () -> Void

  /// `commit` runs a batch in one transaction; the closure that it returns resumes the writers.
  init(commit: @escaping @Sendable ([WriteJob]) -> () -> Void) {
    self.commit = commit
  }

  /// How many jobs wait for their batch.
  var waitingCount: Int { state.withLock { $0.waiting.count + $0.background.count } }

  private func enqueue(_ job: WriteJob, isBackground: Bool) {
    let (isAccepted, mustStart) = state.withLock { state in
      if state.isClosed { return (false, false) }
      if isBackground { state.background.append(job) } else { state.waiting.append(job) }
      defer { state.isRunning = true }
      return (true, !state.isRunning)
    }
    if !isAccepted { return job.refuse(.closed) }
    if mustStart { queue.async { self.commitWaiting() } }
  }

  /// Runs a closure in a shared transaction; returns its result after the commit.
  func write<T: Sendable>(
    beside commitHook: (any CommitHook)?, _ body: @escaping @Sendable (any SQLConnection) throws -> T
  ) async throws -> T {
    guard let span = StoreSpan.startChild("commit") else {
      return try await write(beside: commitHook, traced: nil, body)
    }
    defer { span.end() }
    do { return try await write(beside: commitHook, traced: span, body) } catch {
      span.recordError(error)
      if error is StorageError { span.setStatus(SpanStatus(code: .error)) }
      throw error
    }
  }

  private func write<T: Sendable>(
    beside commitHook: (any CommitHook)?, traced span: StoreSpan?,
    _ body: @escaping @Sendable (any SQLConnection) throws -> T
  ) async throws -> T {
    let isBackground = WritePriority.isBackground
    return try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
      let job = WriteJob(commitHook: commitHook) { connection in
        // The time before it was spent waiting for other commits.
        span?.addEvent("statements")
        let result = Result { try body(connection) }
        let failure: (any Error)? = if case .failure(let error) = result { error } else { nil }
        return WriteJob.Outcome(failure: failure) { commitError in
          if let commitError {
            continuation.resume(throwing: commitError)
          } else {
            continuation.resume(with: result)
          }
        }
      } refuse: {
        continuation.resume(throwing: $0)
      }
      enqueue(job, isBackground: isBackground)
    }
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

  /// Commits one batch. The next commit is scheduled behind the tasks that were ready to run before these writers are
  /// resumed: those tasks may enqueue more writes, and one flush then serves more writers. On an idle machine the next
  /// commit starts at once.
  private func commitWaiting() {
    guard let batch = nextBatch() else { return }
    let tell = commit(batch)
    Task { queue.async { self.commitWaiting() } }
    tell()
  }

  private func nextBatch() -> [WriteJob]? {
    let (batch, closers) = state.withLock { state -> ([WriteJob], [CheckedContinuation<Void, Never>]) in
      let (first, others) = (state.waiting.prefix(Self.batchLimit), state.background.prefix(Self.backgroundLimit))
      let batch = Array(first + others)
      state.waiting.removeFirst(first.count)
      state.background.removeFirst(others.count)
      guard batch.isEmpty else { return (batch, []) }
      state.isRunning = false
      defer { state.closers = [] }
      return ([], state.closers)
    }
    for closer in closers { closer.resume() }
    return batch.isEmpty ? nil : batch
  }
}
