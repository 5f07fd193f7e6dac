import Synchronization

/// Counts how often a server was lost and one was found again.
final class FailoverCount: Sendable {
  private struct State {
    var isLost = false
    var count = 0
  }

  private let state = Mutex(State())

  var value: Int { state.withLock(\.count) }

  /// Takes note of a batch of writes.
  ///
  /// - Parameters:
  ///   - hasLostServer: whether one of its attempts did not find the server, or not as one to write to.
  ///   - isCommitted: whether it was committed in the end.
  func note(hasLostServer: Bool, isCommitted: Bool) {
    state.withLock { state in
      if hasLostServer { state.isLost = true }
      guard isCommitted, state.isLost else { return }
      state.isLost = false
      state.count += 1
    }
  }
}
