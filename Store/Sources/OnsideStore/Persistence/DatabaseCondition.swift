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

  /// Reports a commit.
  func report(_ report: CommitReport) { state.withLock { $0.observer }?(report) }

  /// Notes a commit that succeeded.
  ///
  /// - Parameters:
  ///   - hasWritten: false for a commit that changed nothing: it would succeed on a full disk, too, and proves nothing.
  ///   - failure: the disk's error that made one of its writes fail.
  func committed(hasWritten: Bool, failure: StorageError?) {
    state.withLock { state in
      if hasWritten { state.writtenCommits += 1 }
      if hasWritten || failure != nil { state.writeFailure = failure }
    }
  }

  /// Notes a commit that failed.
  func failed(_ error: StorageError) {
    state.withLock { $0.writeFailure = error }
    note(error)
  }

  /// Keeps the error when it tells of damage. Damage does not go away: later reads may only not meet it.
  func note(_ error: any Error) {
    guard case .damaged(let finding)? = error as? StorageError else { return }
    state.withLock { $0.damage = $0.damage ?? finding }
  }
}
