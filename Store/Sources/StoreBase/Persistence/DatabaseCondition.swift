import Synchronization

/// What reads and writes have shown of a database since it was opened: whether commits reach the disk, how they do, and
/// whether the data is damaged.
final class DatabaseCondition: Sendable {
  private struct State {
    var observer: (@Sendable (CommitReport) -> Void)?
    var writeFailure: StorageError?
    var writtenCommits = 0
    var damage: String?
  }

  private let state = Mutex(State())

  /// What kept the last commit that had something to write from the disk; nil when it was written.
  var writeFailure: StorageError? { state.withLock { $0.writeFailure } }

  /// How many commits have written something.
  var writtenCommits: Int { state.withLock { $0.writtenCommits } }

  /// The first damage that was found.
  var damage: String? { state.withLock { $0.damage } }

  /// Whom commits are reported to.
  func observe(_ observer: @escaping @Sendable (CommitReport) -> Void) { state.withLock { $0.observer = observer } }

  /// Notes what came of a shared commit, and reports it.
  func ended(_ commit: SharedCommit, failure: StorageError?, after duration: Duration) {
    if let failure { failed(failure) } else { committed(commit) }
    let report = CommitReport(writes: commit.writes, duration: duration, isCommitted: failure == nil)
    state.withLock { $0.observer }?(report)
  }

  private func committed(_ commit: SharedCommit) {
    let failure = commit.diskFailure
    state.withLock { state in
      if commit.hasWritten { state.writtenCommits += 1 }
      // A commit that changed nothing would succeed on a full disk, too, and proves nothing.
      if commit.hasWritten || failure != nil { state.writeFailure = failure }
    }
    for error in commit.storageErrors { note(error) }
  }

  private func failed(_ error: StorageError) {
    state.withLock { $0.writeFailure = error }
    note(error)
  }

  /// Keeps the error when it tells of damage. Damage does not go away: later reads may only not meet it.
  func note(_ error: any Error) {
    guard case .damaged(let finding)? = error as? StorageError else { return }
    state.withLock { $0.damage = $0.damage ?? finding }
  }
}
