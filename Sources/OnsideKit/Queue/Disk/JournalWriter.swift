import Logging
import Synchronization

/// Does the queue's disk work in the order in which it was asked for, off the main actor. Nothing is written before the
/// disk could be read, so that what was read is never older than what was written: until then every write fails.
@MainActor
final class JournalWriter {
  private let jobs: AsyncStream<DiskJob>.Continuation
  private let worker: Task<Void, Never>
  private let state: State

  /// What the worker and the main actor share.
  private final class State: Sendable {
    /// How many jobs are not done.
    let left = Atomic(0)
    /// Why the last job failed; nil after one that went well.
    let trouble = Mutex<OnsideFailure?>(nil)
  }

  /// Starts the worker. `report` hears how each job ended.
  init(
    _ journal: TransactionJournal, logger: Logger, report: @escaping @MainActor @Sendable (QueueEvent) -> Void
  ) {
    let (stream, jobs) = AsyncStream.makeStream(of: DiskJob.self)
    self.jobs = jobs
    let state = State()
    self.state = state
    worker = Task { @concurrent in
      var isLoaded = false
      for await job in stream {
        let event = await Self.perform(job, on: journal, logger: logger, isLoaded: &isLoaded, state: state)
        if let event { await report(event) }
        state.left.subtract(1, ordering: .acquiringAndReleasing)
      }
      await journal.close()
    }
  }

  func add(_ job: DiskJob) {
    state.left.add(1, ordering: .acquiringAndReleasing)
    if case .enqueued = jobs.yield(job) { return }
    state.left.subtract(1, ordering: .acquiringAndReleasing)
  }

  /// Whether every job is done, and told.
  var isIdle: Bool { state.left.load(ordering: .acquiring) == 0 }

  /// Why the last job failed; nil after one that went well.
  var trouble: OnsideFailure? { state.trouble.withLock { $0 } }

  /// Takes no more jobs; those taken are done all the same.
  func stop() { jobs.finish() }

  /// Takes no more jobs; returns when those taken are done, and the folder is free for another queue.
  func finish() async {
    stop()
    await worker.value
  }

  deinit { jobs.finish() }

  private nonisolated static func perform(
    _ job: DiskJob, on journal: TransactionJournal, logger: Logger, isLoaded: inout Bool, state: State
  ) async -> QueueEvent? {
    guard isLoaded || job.isLoad else { return job.otherwise }
    do {
      let event = try await carryOut(job, on: journal)
      isLoaded = true
      state.trouble.withLock { $0 = nil }
      return event
    } catch is FileLock.Busy {
      state.trouble.withLock { $0 = .storageInUse }
      return .folderInUse
    } catch {
      state.trouble.withLock { $0 = OnsideFailure(disk: error) }
      logger.error("The payment queue cannot use the disk: \(error). Free some space or check its permissions.")
      return job.otherwise
    }
  }

  private nonisolated static func carryOut(_ job: DiskJob, on journal: TransactionJournal) async throws -> QueueEvent? {
    switch job {
    case .load:
      return .loaded(try await journal.load())
    case .write(let entries, let then, _):
      try await journal.write(entries)
      return then
    case .erase(let ids, let then, _):
      try await journal.erase(ids)
      return then
    case .saveCursor(let account, let cursor):
      try await journal.saveCursor(cursor, for: account)
      return nil
    }
  }
}

extension DiskJob {
  fileprivate var isLoad: Bool { if case .load = self { true } else { false } }

  fileprivate var otherwise: QueueEvent? {
    switch self {
    case .write(_, _, let otherwise), .erase(_, _, let otherwise): otherwise
    case .load(let failures): .loadFailed(failures: failures + 1)
    case .saveCursor: nil
    }
  }
}
