import Synchronization

@testable import OnsideStore
@testable import StoreBase

/// A database whose process dies at a write, before its commit or after its end: from then on nothing is read or
/// written.
final class MortalDatabase: ForwardingDatabase {
  struct Killed: Error {}

  /// When the process dies.
  struct Death: Sendable, Hashable, CustomStringConvertible {
    /// 1 for the next write.
    var write: Int
    var isAfterCommit: Bool

    var description: String { "\(isAfterCommit ? "after" : "before") commit \(write)" }
  }

  private struct State {
    var death: Death?
    var writes = 0
    var isDead = false
  }

  let base: any Database
  private let state = Mutex(State())

  init(_ base: any Database) { self.base = base }

  /// Plans the death, counted from here; nil for none.
  func plan(_ death: Death?) { state.withLock { ($0.death, $0.writes) = (death, 0) } }

  var isDead: Bool { state.withLock { $0.isDead } }
  /// How many writes there were since the plan.
  var writes: Int { state.withLock { $0.writes } }

  func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
    if isDead { throw Killed() }
    return try await base.read(body)
  }

  func write<T: Sendable>(
    beside commitHook: (any CommitHook)?, _ body: @escaping @Sendable (any SQLConnection) throws -> T
  ) async throws -> T {
    let death: Death? = try state.withLock { state in
      if state.isDead { throw Killed() }
      state.writes += 1
      guard let death = state.death, death.write == state.writes else { return nil }
      state.isDead = !death.isAfterCommit
      return death
    }
    if let death, !death.isAfterCommit { throw Killed() }
    defer { if death != nil { state.withLock { $0.isDead = true } } }
    let value = try await base.write(beside: commitHook, body)
    // What was asked for before the death, and is answered after it, reaches nobody.
    if death != nil || isDead { throw Killed() }
    return value
  }
}
