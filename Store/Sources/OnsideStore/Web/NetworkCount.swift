import Synchronization

/// Counts things that networks hold at once, such as connections: at most so many in total, and so many of one network.
final class NetworkCount: Sendable {
  private struct Counts {
    var total = 0
    var byNetwork: [String: Int] = [:]
  }

  private let limit: Int
  private let limitPerNetwork: Int
  private let counts = Mutex(Counts())

  init(limit: Int, perNetwork: Int) {
    (self.limit, limitPerNetwork) = (limit, perNetwork)
  }

  /// Counts one more; false at a limit.
  func enter(_ network: String) -> Bool {
    counts.withLock { counts in
      let own = counts.byNetwork[network, default: 0]
      guard counts.total < limit, own < limitPerNetwork else { return false }
      counts.total += 1
      counts.byNetwork[network] = own + 1
      return true
    }
  }

  /// Counts one less, after ``enter(_:)`` was true.
  func leave(_ network: String) {
    counts.withLock { counts in
      counts.total -= 1
      let own = counts.byNetwork[network, default: 1] - 1
      counts.byNetwork[network] = own > 0 ? own : nil
    }
  }
}
