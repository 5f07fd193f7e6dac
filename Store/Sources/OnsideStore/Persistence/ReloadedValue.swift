import Synchronization

/// A value kept in memory that is read from the database again after a change. Of reloads that overlap, the one that began
/// last counts: an older one may have read before the change, and must not overwrite what a newer one has found.
final class ReloadedValue<Value: Sendable>: Sendable {
  private struct State {
    var value: Value
    var begun: UInt64 = 0
    var taken: UInt64 = 0
  }

  private let state: Mutex<State>

  init(_ value: Value) {
    state = Mutex(State(value: value))
  }

  /// Looks at the value, under its lock.
  func read<Result>(_ body: (Value) -> Result) -> Result where Result: Sendable {
    state.withLock { body($0.value) }
  }

  /// Reads the value again. What was committed before this call is in the value when it returns.
  func reload(_ read: () async throws -> Value) async throws {
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
