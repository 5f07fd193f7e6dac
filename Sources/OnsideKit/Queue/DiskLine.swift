import Foundation
import Logging
import OnsideAPI

/// Does the queue's disk work in the order in which it was asked for, off the main actor.
@MainActor
final class DiskLine {
  enum Job: Sendable {
    case load
    case write([QueueEntry], then: QueueEvent?, otherwise: QueueEvent?)
    case erase([UUID], then: QueueEvent?, otherwise: QueueEvent?)
    case saveCursor(AccountID, String?)
  }

  private let jobs: AsyncStream<Job>.Continuation
  private let worker: Task<Void, Never>

  /// Starts the line. `report` hears how each job ended.
  init(
    _ journal: TransactionJournal, logger: Logger, report: @escaping @MainActor @Sendable (QueueEvent) -> Void
  ) {
    let (stream, jobs) = AsyncStream.makeStream(of: Job.self)
    self.jobs = jobs
    worker = Task.detached {
      for await job in stream {
        if let event = await Self.perform(job, journal, logger) { await report(event) }
      }
    }
  }

  func add(_ job: Job) { jobs.yield(job) }

  /// Takes no more jobs; returns when those taken are done.
  func finish() async {
    jobs.finish()
    await worker.value
  }

  deinit { jobs.finish() }

  private nonisolated static func perform(
    _ job: Job, _ journal: TransactionJournal, _ logger: Logger
  ) async -> QueueEvent? {
    do {
      switch job {
      case .load:
        return .loaded(await journal.load())
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
    } catch {
      logger.error("The payment queue cannot write to the disk: \(error). Free some space or check its permissions.")
      return job.otherwise
    }
  }
}

extension DiskLine.Job {
  fileprivate var otherwise: QueueEvent? {
    switch self {
    case .write(_, _, let otherwise), .erase(_, _, let otherwise): otherwise
    case .load, .saveCursor: nil
    }
  }
}
