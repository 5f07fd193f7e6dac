import Foundation

/// The sync's rounds and failures, and the transactions that have left the queue since the answer under way was made.
struct SyncProgress: Sendable {
  private var lane = Lane()
  /// Transactions that have left the queue, finished or revoked. The answer of the sync under way may not know that.
  private var freshlyFinished: Set<UUID> = []
  /// The purchases of these finishes, by the order that has paid for them.
  private var freshPurchases: Set<String> = []

  var round: Int { lane.round }

  func isCurrent(_ round: Int) -> Bool { lane.isCurrent(round) }

  /// Whether a transaction has left the queue, finished or revoked, since the last sync that succeeded.
  func isFreshlyFinished(_ id: UUID) -> Bool { freshlyFinished.contains(id) }

  /// Whether the store has taken a finish of this purchase, under any of its orders, since a sync last succeeded.
  func isFreshlyFinished(purchase: String) -> Bool { freshPurchases.contains(purchase) }

  /// Starts a round and answers its number; nil while another one is under way.
  mutating func start() -> Int? { lane.isBusy ? nil : lane.start() }

  /// Ends the round, so that the next one may start.
  mutating func end() { lane.end() }

  /// Drops the answer to the round that is under way.
  mutating func stop() { lane.stop() }

  /// Ends the pause after failures, and answers whether there were any.
  mutating func wake() -> Bool {
    guard lane.failures > 0 else { return false }
    lane.stop()
    lane.succeed()
    return true
  }

  /// Counts a failure and answers how many there are now.
  mutating func fail() -> Int { lane.fail() }

  /// The store has answered, with every finish that it had taken.
  mutating func succeed() {
    lane.succeed()
    forgetFinishes()
  }

  /// Records a finish that the store has taken, with the purchase of its transaction.
  mutating func finished(_ id: UUID, of purchase: String?) {
    freshlyFinished.insert(id)
    if let purchase { freshPurchases.insert(purchase) }
  }

  /// The account has left.
  mutating func leave() {
    lane.stop()
    forgetFinishes()
  }

  private mutating func forgetFinishes() { (freshlyFinished, freshPurchases) = ([], []) }
}
