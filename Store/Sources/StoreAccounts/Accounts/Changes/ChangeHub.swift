package import StoreBase
package import StoreWeb
import Synchronization

/// Wakes the polls of an account when something of it has changed, here and in the other processes of the database. It
/// holds no data: a poll that wakes reads again.
public final class ChangeHub: Sendable {
  /// A place in the line. Take it before reading, so that a change between the reading and the waiting is not missed.
  package struct Subscription: Sendable {
    fileprivate let account: String
    fileprivate let id: UInt64
  }

  private enum Waiter {
    case idle
    case woken
    /// With what the poll has read, if it said so.
    case waiting(CheckedContinuation<Void, Never>, since: SyncCursor?)
  }

  private struct State {
    var nextID: UInt64 = 0
    var isClosed = false
    var waiters: [String: [UInt64: Waiter]] = [:]
  }

  private let deadlines: DeadlineTimer
  private let limitPerAccount: Int
  private let relay: (any WakeRelay)?
  private let state = Mutex(State())

  /// - Parameter relay: tells the other processes of the database.
  package init(deadlines: DeadlineTimer, limitPerAccount: Int, relay: (any WakeRelay)? = nil) {
    self.deadlines = deadlines
    self.limitPerAccount = limitPerAccount
    self.relay = relay
  }

  /// Wakes every poll of an account: call it after the change is committed.
  public func wake(account: String) {
    resume(state.withLock { Self.wake(account, in: &$0) })
    relay?.tell(account: account)
  }

  /// Wakes the polls of this process for a change of another one.
  package func hear(_ accounts: [String]) {
    resume(state.withLock { state in accounts.flatMap { Self.wake($0, in: &state) } })
  }

  /// Wakes every poll of this process, when it is not known whose data has changed.
  public func wakeAll() {
    resume(state.withLock { state in state.waiters.keys.flatMap { Self.wake($0, in: &state) } })
  }

  /// Wakes every poll and lets none wait any more: the store is stopping.
  public func close() {
    state.withLock { $0.isClosed = true }
    wakeAll()
  }

  /// How many polls there are.
  package var count: Int { state.withLock { $0.waiters.values.reduce(0) { $0 + $1.count } } }

  /// How many of them wait.
  var waitingCount: Int {
    state.withLock { state in
      state.waiters.values.reduce(0) { count, waiters in
        count + waiters.values.count { if case .waiting = $0 { true } else { false } }
      }
    }
  }

  /// Takes a place; the oldest poll of an account with too many is woken instead.
  package func subscribe(account: String) -> Subscription {
    let (subscription, displaced) = state.withLock { state in
      state.nextID += 1
      var waiters = state.waiters[account] ?? [:]
      var displaced: [CheckedContinuation<Void, Never>] = []
      if waiters.count >= limitPerAccount, let oldest = waiters.keys.min() {
        if case .waiting(let continuation, _)? = waiters[oldest] { displaced = [continuation] }
        waiters[oldest] = .woken
      }
      waiters[state.nextID] = state.isClosed ? .woken : .idle
      state.waiters[account] = waiters
      return (Subscription(account: account, id: state.nextID), displaced)
    }
    resume(displaced)
    return subscription
  }

  /// Gives the place back.
  package func unsubscribe(_ subscription: Subscription) {
    state.withLock { state in
      state.waiters[subscription.account]?[subscription.id] = nil
      if state.waiters[subscription.account]?.isEmpty == true { state.waiters[subscription.account] = nil }
    }
  }

  /// What the waiting polls have read, by account; nil for one that has not said.
  package var waiting: [String: [SyncCursor?]] {
    state.withLock { state in
      state.waiters.compactMapValues { waiters in
        let cursors = waiters.values.compactMap { waiter -> SyncCursor?? in
          if case .waiting(_, let cursor) = waiter { .some(cursor) } else { nil }
        }
        return cursors.isEmpty ? nil : cursors
      }
    }
  }

  /// Returns when the account was woken since the place was taken, when the time is up, or when the task is cancelled.
  ///
  /// - Parameter cursor: what the caller has read of the account; ``wakeOutdated(_:)`` wakes it when there is more.
  package func wait(_ subscription: Subscription, since cursor: SyncCursor? = nil, upTo limit: Duration) async {
    let ticket = deadlines.schedule(after: limit) { self.wake(subscription) }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isWoken = state.withLock { state in
          guard case .idle? = state.waiters[subscription.account]?[subscription.id] else { return true }
          state.waiters[subscription.account]?[subscription.id] = .waiting(continuation, since: cursor)
          return false
        }
        if isWoken { continuation.resume() }
      }
    } onCancel: {
      wake(subscription)
    }
    deadlines.cancel(ticket)
  }

  private func wake(_ subscription: Subscription) {
    resume(
      state.withLock { state in
        guard let waiter = state.waiters[subscription.account]?[subscription.id] else { return [] }
        state.waiters[subscription.account]?[subscription.id] = .woken
        if case .waiting(let continuation, _) = waiter { return [continuation] }
        return []
      })
  }

  private static func wake(_ account: String, in state: inout State) -> [CheckedContinuation<Void, Never>] {
    guard let waiters = state.waiters[account] else { return [] }
    state.waiters[account] = waiters.mapValues { _ in .woken }
    return waiters.values.compactMap { if case .waiting(let continuation, _) = $0 { continuation } else { nil } }
  }

  private func resume(_ continuations: [CheckedContinuation<Void, Never>]) {
    for continuation in continuations { continuation.resume() }
  }
}
