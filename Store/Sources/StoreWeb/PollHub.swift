import Synchronization

/// Waiting polls of one kind, by the key of the data that they wait for. The hub has no data: a poll that wakes reads
/// again.
///
/// - Parameters:
///   - Key: identifies the data of a poll, such as an account.
///   - Mark: the position up to which a poll has read its data.
package final class PollHub<Key: Hashable & Sendable, Mark: Sendable>: Sendable {
  /// The registration of a poll, made before the poll reads, so that no change between the read and the wait is missed.
  package struct Subscription: Sendable {
    fileprivate let key: Key
    fileprivate let id: UInt64
  }

  private enum Waiter {
    case idle
    /// Woken by a change of the data, or for another reason.
    case woken(byChange: Bool)
    /// With the poll's mark, if it has given one.
    case waiting(CheckedContinuation<Void, Never>, since: Mark?)
  }

  private struct State {
    var nextID: UInt64 = 0
    var isClosed = false
    var waiters: [Key: [UInt64: Waiter]] = [:]
  }

  private let deadlines: DeadlineTimer
  private let limitPerKey: Int
  private let state = Mutex(State())

  /// - Parameter limitPerKey: the maximum number of polls of one key; a further one wakes the oldest.
  package init(deadlines: DeadlineTimer, limitPerKey: Int) {
    self.deadlines = deadlines
    self.limitPerKey = limitPerKey
  }

  /// Wakes every poll of some keys.
  package func wake(_ keys: [Key]) {
    resume(state.withLock { state in keys.flatMap { Self.wake($0, in: &state) } })
  }

  /// Wakes every poll.
  package func wakeAll() {
    resume(state.withLock { state in state.waiters.keys.flatMap { Self.wake($0, in: &state) } })
  }

  /// Wakes every poll. Later polls do not wait.
  package func close() {
    state.withLock { $0.isClosed = true }
    wakeAll()
  }

  /// The number of polls.
  package var count: Int { state.withLock { $0.waiters.values.reduce(0) { $0 + $1.count } } }

  /// The number of polls that wait.
  package var waitingCount: Int {
    state.withLock { state in
      state.waiters.values.reduce(0) { count, waiters in
        count + waiters.values.count { if case .waiting = $0 { true } else { false } }
      }
    }
  }

  /// The marks of the waiting polls, by key; nil for a poll without one.
  package var waiting: [Key: [Mark?]] {
    state.withLock { state in
      state.waiters.compactMapValues { waiters in
        let marks = waiters.values.compactMap { waiter -> Mark?? in
          if case .waiting(_, let mark) = waiter { .some(mark) } else { nil }
        }
        return marks.isEmpty ? nil : marks
      }
    }
  }

  /// Registers a poll. If the key has too many polls, the oldest one wakes.
  package func subscribe(_ key: Key) -> Subscription {
    let (subscription, displaced) = state.withLock { state in
      state.nextID += 1
      var waiters = state.waiters[key] ?? [:]
      var displaced: [CheckedContinuation<Void, Never>] = []
      if waiters.count >= limitPerKey, let oldest = waiters.keys.min() {
        if case .waiting(let continuation, _)? = waiters[oldest] { displaced = [continuation] }
        waiters[oldest] = .woken(byChange: false)
      }
      waiters[state.nextID] = state.isClosed ? .woken(byChange: false) : .idle
      state.waiters[key] = waiters
      return (Subscription(key: key, id: state.nextID), displaced)
    }
    resume(displaced)
    return subscription
  }

  /// Ends the registration of a poll.
  package func unsubscribe(_ subscription: Subscription) {
    state.withLock { state in
      state.waiters[subscription.key]?[subscription.id] = nil
      if state.waiters[subscription.key]?.isEmpty == true { state.waiters[subscription.key] = nil }
    }
  }

  /// Returns when the poll has been woken since its registration, when the time is up, or when the task is cancelled.
  ///
  /// - Parameter mark: the position up to which the caller has read.
  /// - Returns: True if a change of the data has woken the poll.
  @discardableResult
  package func wait(_ subscription: Subscription, since mark: Mark?, upTo limit: Duration) async -> Bool {
    let ticket = deadlines.schedule(after: limit) { self.wake(subscription) }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isWoken = state.withLock { state in
          guard case .idle? = state.waiters[subscription.key]?[subscription.id] else { return true }
          state.waiters[subscription.key]?[subscription.id] = .waiting(continuation, since: mark)
          return false
        }
        if isWoken { continuation.resume() }
      }
    } onCancel: {
      wake(subscription)
    }
    deadlines.cancel(ticket)
    return state.withLock { state in
      if case .woken(byChange: true)? = state.waiters[subscription.key]?[subscription.id] { true } else { false }
    }
  }

  private func wake(_ subscription: Subscription) {
    resume(
      state.withLock { state in
        guard let waiter = state.waiters[subscription.key]?[subscription.id] else { return [] }
        switch waiter {
        case .woken: return []
        case .idle:
          state.waiters[subscription.key]?[subscription.id] = .woken(byChange: false)
          return []
        case .waiting(let continuation, _):
          state.waiters[subscription.key]?[subscription.id] = .woken(byChange: false)
          return [continuation]
        }
      })
  }

  private static func wake(_ key: Key, in state: inout State) -> [CheckedContinuation<Void, Never>] {
    guard let waiters = state.waiters[key] else { return [] }
    state.waiters[key] = waiters.mapValues { waiter -> Waiter in
      if case .woken = waiter { return waiter }
      return .woken(byChange: true)
    }
    return waiters.values.compactMap { if case .waiting(let continuation, _) = $0 { continuation } else { nil } }
  }

  private func resume(_ continuations: [CheckedContinuation<Void, Never>]) {
    for continuation in continuations { continuation.resume() }
  }
}
