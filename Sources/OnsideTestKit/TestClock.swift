import Foundation
import Synchronization

/// A clock that stands still until it is moved. Who sleeps is woken by the move, not by time going by.
final class TestClock: Sendable {
  /// Who sleeps, and what for.
  enum Sleep: Hashable, Sendable {
    /// A launch of a device, between two tries, and doing nothing else.
    case pause(launch: Int)
    /// A launch of a device, only to look at the clock from time to time: nobody has to wake it.
    case look(launch: Int)
    /// A launch of a device, for any other reason.
    case other(launch: Int)
    /// The store.
    case store
  }

  private struct State {
    var now: Date
    var sleepers: [Int: (end: Date, sleep: Sleep, wake: AsyncStream<Void>.Continuation)] = [:]
    var last = 0
  }
  private let state: Mutex<State>

  init(at start: Date) { state = Mutex(State(now: start)) }

  var now: Date { state.withLock { $0.now } }

  /// When a device wants to be woken next.
  var nextWake: Date? {
    state.withLock { state in state.sleepers.values.filter { $0.sleep.isForSomething }.map(\.end).min() }
  }

  /// How many pauses a launch sleeps through.
  func pauses(of launch: Int) -> Int {
    state.withLock { state in
      state.sleepers.values.count { $0.sleep == .pause(launch: launch) || $0.sleep == .look(launch: launch) }
    }
  }

  /// Moves the clock, never back, and wakes who wanted to be woken by then, earliest first.
  func move(to moment: Date) {
    let due = state.withLock { state in
      state.now = max(state.now, moment)
      let due = state.sleepers.filter { [now = state.now] in $0.value.end <= now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.sorted { ($0.value.end, $0.key) < ($1.value.end, $1.key) }
    }
    for sleeper in due {
      sleeper.value.wake.yield()
      sleeper.value.wake.finish()
    }
  }

  /// Returns when the clock was moved so far; throws `CancellationError` when the task is cancelled.
  func sleep(_ seconds: Double, as sleep: Sleep) async throws {
    guard seconds > 0 else {
      await Task.yield()
      return try Task.checkCancellation()
    }
    let (stream, wake) = AsyncStream.makeStream(of: Void.self)
    let id = state.withLock { state in
      state.last += 1
      state.sleepers[state.last] = (state.now + seconds, sleep, wake)
      return state.last
    }
    let isWoken = await withTaskCancellationHandler {
      for await _ in stream { return true }
      return false
    } onCancel: {
      forget(id)
    }
    forget(id)
    if !isWoken { throw CancellationError() }
  }

  private func forget(_ id: Int) { state.withLock { $0.sleepers[id] = nil } }
}

extension TestClock.Sleep {
  /// Whether a device has something to do when it ends.
  fileprivate var isForSomething: Bool {
    switch self {
    case .pause, .other: true
    case .look, .store: false
    }
  }
}
