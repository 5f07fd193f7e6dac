import Foundation
import Logging
import OnsideAPI
import Synchronization

/// Does the queue's disk work in the order in which it was asked for, off the main actor. Nothing is written before the
/// disk could be read, so that what was read is never older than what was written: until then every write fails.
@MainActor
final class DiskLine {
  enum Job: Sendable {
    /// Reads the disk, after so many failures.
    case load(failures: Int)
    case write([QueueEntry], then: QueueEvent?, otherwise: QueueEvent?)
    case erase([UUID], then: QueueEvent?, otherwise: QueueEvent?)
    case saveCursor(AccountID, String?)
  }

  private let jobs: AsyncStream<Job>.Continuation
  private let worker: Task<Void, Never>
  private let left: Left

  /// How many jobs are not done.
  private final class Left: Sendable {
    let count = Atomic(0)
  }

  /// Starts the line. `report` hears how each job ended.
  init(
    _ journal: TransactionJournal, logger: Logger, report: @escaping @MainActor @Sendable (QueueEvent) -> Void
  ) {
    let (stream, jobs) = AsyncStream.makeStream(of: Job.self)
    self.jobs = jobs
    let left = Left()
    self.left = left
    worker = Task { @concurrent in
      var isLoaded = false
      for await job in stream {
        if let event = await Self.perform(job, journal, logger, &isLoaded) { await report(event) }
        left.count.subtract(1, ordering: .acquiringAndReleasing)
      }
      await journal.close()
    }
  }

  func add(_ job: Job) {
    left.count.add(1, ordering: .acquiringAndReleasing)
    jobs.yield(job)
  }

  /// Whether every job is done, and told.
  var isIdle: Bool { left.count.load(ordering: .acquiring) == 0 }

  /// Takes no more jobs; returns when those taken are done.
  func finish() async {
    jobs.finish()
    await worker.value
  }

  deinit { jobs.finish() }

  private nonisolated static func perform(
    _ job: Job, _ journal: TransactionJournal, _ logger: Logger, _ isLoaded: inout Bool
  ) async -> QueueEvent? {
    do {
      switch job {
      case .load:
        let books = try await journal.load()
        isLoaded = true
        return .loaded(books)
      case _ where !isLoaded:
        return job.otherwise
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
    } catch is FileLock.Busy {
      return .folderInUse
    } catch {
      logger.error("The payment queue cannot use the disk: \(error). Free some space or check its permissions.")
      return job.otherwise
    }
  }
}

extension DiskLine.Job {
  fileprivate var otherwise: QueueEvent? {
    switch self {
    case .write(_, _, let otherwise), .erase(_, _, let otherwise): otherwise
    case .load(let failures): .loadFailed(failures: failures + 1)
    case .saveCursor: nil
    }
  }
}
