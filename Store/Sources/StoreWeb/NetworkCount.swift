import Synchronization

/// Counts what networks hold at once, such as connections: at most so much in total, and so much of one network.
package final class NetworkCount: Sendable {
  private struct Counts {
    var total = 0
    var byNetwork: [String: Int] = [:]
  }

  private let limit: Int
  private let limitPerNetwork: Int
  private let counts = Mutex(Counts())

  package init(limit: Int = .max, perNetwork: Int) {
    (self.limit, limitPerNetwork) = (limit, perNetwork)
  }

  /// Counts more of a network; false beyond a limit.
  func add(_ amount: Int = 1, of network: String) -> Bool {
    counts.withLock { counts in
      let own = counts.byNetwork[network, default: 0]
      guard counts.total <= limit - amount, own <= limitPerNetwork - amount else { return false }
      counts.total += amount
      counts.byNetwork[network] = own + amount
      return true
    }
  }

  /// Counts less of a network, after ``add(_:of:)`` was true.
  func subtract(_ amount: Int = 1, of network: String) {
    counts.withLock { counts in
      counts.total -= amount
      let own = counts.byNetwork[network, default: amount] - amount
      counts.byNetwork[network] = own > 0 ? own : nil
    }
  }
}
