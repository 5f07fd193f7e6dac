import Synchronization

/// A value that many change and a test waits for.
final class Observed<Value: Sendable>: Sendable {
  typealias Condition = @Sendable (Value) -> Bool

  private struct State {
    var value: Value
    var waiting: [Int: (condition: Condition, continuation: CheckedContinuation<Void, Never>)] = [:]
    var next = 0
  }

  private let state: Mutex<State>

  init(_ value: Value) { state = Mutex(State(value: value)) }

  var value: Value { state.withLock { $0.value } }

  @discardableResult
  func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    let (result, ready) = state.withLock { state in
      let result = body(&state.value)
      let ready = state.waiting.filter { $0.value.condition(state.value) }
      for number in ready.keys { state.waiting[number] = nil }
      return (result, ready.values.map(\.continuation))
    }
    for continuation in ready { continuation.resume() }
    return result
  }

  /// Returns when the condition holds; throws when the task is cancelled first, as when a test's time is up.
  func until(_ condition: @escaping Condition) async throws {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDone = state.withLock { state in
          if Task.isCancelled || condition(state.value) { return true }
          state.waiting[number] = (condition, continuation)
          return false
        }
        if isDone { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.continuation.resume()
    }
    try Task.checkCancellation()
  }
}

/// A door that is opened once.
struct Latch: Sendable {
  private let isOpen = Observed(false)

  func open() { isOpen.change { $0 = true } }
  func passed() async throws { try await isOpen.until { $0 } }
}
