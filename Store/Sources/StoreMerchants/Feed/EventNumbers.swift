package import StoreBase
package import StoreWeb

/// The numbers of events: each app's committed events get consecutive numbers, in the order of their positions. With
/// the number an event gets its epoch, and becomes visible in the feed.
///
/// A transaction with a lower position may commit after one with a higher position. Its events then get the higher
/// numbers, so that a reader who continues from a number misses none.
package struct EventNumbers: NumberedRows {
  private let polls: PollHub<String, Int64>
  private let wakeDeliveries: @Sendable () -> Void

  /// - Parameters:
  ///   - polls: the waiting polls of the feed, by app.
  ///   - wakeDeliveries: wakes the deliveries to endpoints; runs after each commit of numbers.
  package init(polls: PollHub<String, Int64>, wakeDeliveries: @escaping @Sendable () -> Void = {}) {
    self.polls = polls
    self.wakeDeliveries = wakeDeliveries
  }

  package var name: String { "events" }

  package func isWaiting(in connection: any SQLConnection) throws -> Bool {
    try EventNumberRecords.isWaiting(in: connection)
  }

  /// Numbers waiting events, at most `limit`; the apps' polls wake after the commit.
  package func assignNumbers(limit: Int, in transaction: StoreTransaction) throws -> Int {
    let epoch = try SyncEpoch.current(in: transaction)
    let assigned = try EventNumberRecords.assign(limit: limit, epoch: epoch, in: transaction)
    let apps = Array(assigned.newest.keys)
    transaction.afterCommit { [polls, wakeDeliveries] in
      polls.wake(apps)
      wakeDeliveries()
    }
    return assigned.count
  }
}
