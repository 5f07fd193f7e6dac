import StoreBase
import Synchronization

/// Proves that the database can be written. A store that sells proves it by its own commits; an idle one, and one whose
/// last write failed, tries a write. There is one try at a time, and a failed one counts for a second, so that
/// questions cannot load the disk.
final class WriteProof: Sendable {
  private struct State {
    /// When a written commit was last known, and how many there were then.
    var proof: (at: Duration, commits: Int)?
    var lastFailure: (at: Duration, error: StorageError)?
    var trial: Task<StorageError?, Never>?

    /// Whether a commit was written lately. Those that were written since the last one that is known extend the proof.
    mutating func isProved(_ now: Duration, commits: Int) -> Bool {
      guard let proof, now - proof.at < WriteProof.lifetime else { return false }
      if commits != proof.commits { self.proof = (now, commits) }
      return true
    }
  }

  /// How long a written commit proves that the next one will be written, too, from the question that noticed it.
  private static let lifetime: Duration = .seconds(5)
  /// How long a failed try counts.
  private static let pause: Duration = .seconds(1)

  private let database: any Database
  private let clock: any StoreClock
  private let state = Mutex(State())

  init(database: any Database, clock: any StoreClock) {
    self.database = database
    self.clock = clock
  }

  /// Why the database cannot be written; nil when it can.
  func failure() async -> StorageError? {
    let hasFailed = database.writeFailure != nil
    let (now, commits) = (clock.uptime(), database.writtenCommits)
    let (known, trial) = state.withLock { state -> (StorageError?, Task<StorageError?, Never>?) in
      if !hasFailed, state.isProved(now, commits: commits) { return (nil, nil) }
      if let last = state.lastFailure, now - last.at < Self.pause { return (last.error, nil) }
      let trial = state.trial ?? Task { await self.tryWriting() }
      state.trial = trial
      return (nil, trial)
    }
    return await trial?.value ?? known
  }

  private func tryWriting() async -> StorageError? {
    var failure: StorageError?
    do { try await database.proveWriting() } catch { failure = StorageError(error) }
    let (now, commits) = (clock.uptime(), database.writtenCommits)
    state.withLock { state in
      state.trial = nil
      state.lastFailure = failure.map { (now, $0) }
      if failure == nil { state.proof = (now, commits) }
    }
    return failure
  }
}

extension Database {
  /// Writes about as much as an order takes; throws when the database cannot be written. Each time another text: SQLite
  /// writes no page whose bytes stay the same.
  func proveWriting() async throws {
    try await write { connection in
      let settings = StoreSettings(connection: connection)
      let last = try settings.value("health_check")?.first
      try settings.set("health_check", to: String(repeating: last == "x" ? "y" : "x", count: 8192))
    }
  }
}
