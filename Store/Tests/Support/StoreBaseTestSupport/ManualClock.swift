package import Foundation
import StoreBase
import Synchronization

/// A clock that stands still until a test moves it.
package final class ManualClock: StoreClock {
  private struct Sleeper {
    let until: Duration
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now: Date
    var uptime: Duration = .zero
    var nextID = 0
    var sleepers: [Int: Sleeper] = [:]
  }

  private let state: Mutex<State>

  package init(_ now: Date = Date(timeIntervalSince1970: 1_780_000_000)) {
    state = Mutex(State(now: now))
  }

  package func now() -> Date { state.withLock { $0.now } }
  package func uptime() -> Duration { state.withLock { $0.uptime } }

  package func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.uptime += duration
      state.now += Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
      let due = state.sleepers.filter { $0.value.until <= state.uptime }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in due { continuation.resume() }
  }

  package func sleep(for duration: Duration) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = Task.isCancelled
        if !isCancelled {
          state.withLock { $0.sleepers[id] = Sleeper(until: $0.uptime + duration, continuation: continuation) }
        }
        // Cancelled between the check and the entry: the handler found nothing to wake.
        if isCancelled || Task.isCancelled { cancel(id) ?? continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      _ = cancel(id)
    }
  }

  /// Wakes a sleeper; nil when it does not sleep.
  private func cancel(_ id: Int) -> Void? {
    state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
  }
}
