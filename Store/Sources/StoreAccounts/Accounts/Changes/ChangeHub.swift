package import StoreBase
package import StoreWeb

/// Wakes the polls of an account when something of it has changed, here and in the other processes of the database. It
/// holds no data: a poll that wakes reads again.
public final class ChangeHub: Sendable {
  /// A place in the line. Take it before reading, so that a change between the reading and the waiting is not missed.
  package typealias Subscription = PollHub<String, SyncCursor>.Subscription

  private let polls: PollHub<String, SyncCursor>
  private let relay: (any WakeRelay)?

  /// - Parameter relay: tells the other processes of the database.
  package init(deadlines: DeadlineTimer, limitPerAccount: Int, relay: (any WakeRelay)? = nil) {
    polls = PollHub(deadlines: deadlines, limitPerKey: limitPerAccount)
    self.relay = relay
  }

  /// Wakes every poll of an account: call it after the change is committed.
  public func wake(account: String) {
    polls.wake([account])
    relay?.tell(account: account)
  }

  /// Wakes the polls of this process for a change of another one.
  package func hear(_ accounts: [String]) { polls.wake(accounts) }

  /// Wakes every poll of this process, when it is not known whose data has changed.
  public func wakeAll() { polls.wakeAll() }

  /// Wakes every poll and lets none wait any more: the store is stopping.
  public func close() { polls.close() }

  /// How many polls there are.
  package var count: Int { polls.count }

  /// How many of them wait.
  var waitingCount: Int { polls.waitingCount }

  /// What the waiting polls have read, by account; nil for one that has not said.
  package var waiting: [String: [SyncCursor?]] { polls.waiting }

  /// Takes a place; the oldest poll of an account with too many is woken instead.
  package func subscribe(account: String) -> Subscription { polls.subscribe(account) }

  /// Gives the place back.
  package func unsubscribe(_ subscription: Subscription) { polls.unsubscribe(subscription) }

  /// Returns when the account was woken since the place was taken, when the time is up, or when the task is cancelled.
  ///
  /// - Parameter cursor: what the caller has read of the account; ``wakeOutdated(_:)`` wakes it when there is more.
  package func wait(_ subscription: Subscription, since cursor: SyncCursor? = nil, upTo limit: Duration) async {
    await polls.wait(subscription, since: cursor, upTo: limit)
  }
}
