import Synchronization

/// A cached value that is read from the database again after a change. Of overlapping reloads the one that began last
/// counts: an older one may have read before the change, and must not overwrite the newer value.
package final class ReloadedValue<Value: Sendable>: Sendable {
  private struct State {
    var value: Value
    var begun: UInt64 = 0
    var taken: UInt64 = 0
  }

  private let state: Mutex<State>

  package init(_ value: Value) {
    state = Mutex(State(value: value))
  }

  /// Reads the cached value under its lock.
  package func read<Result>(_ body: (Value) -> Result) -> Result where Result: Sendable {
    state.withLock { body($0.value) }
  }

  /// Reads the value from the database again. On return the value contains all commits from before this call.
  package func reload(_ read: () async throws -> Value) async throws {
    let number = state.withLock { state in
      state.begun += 1
      return state.begun
    }
    let value = try await read()
    state.withLock { state in
      guard number > state.taken else { return }
      (state.value, state.taken) = (value, number)
    }
  }
}
