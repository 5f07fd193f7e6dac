import Foundation

/// The sync's rounds and failures, and the transactions that have left the queue since the answer under way was made.
struct SyncProgress: Sendable {
  private var lane = Lane()
  /// The transactions that have left the queue, finished or revoked, with the purchase of a finish that the store has
  /// taken. The answer of the sync under way may not know that.
  private var departures: [UUID: String?] = [:]

  var round: Int { lane.round }

  func isCurrent(_ round: Int) -> Bool { lane.isCurrent(round) }

  /// Whether a transaction has left the queue since a sync last succeeded.
  func hasLeft(_ id: UUID) -> Bool { departures.keys.contains(id) }

  /// Whether the store has taken a finish of this purchase, under any of its orders, since a sync last succeeded.
  func hasFinished(purchase: String) -> Bool { departures.values.contains(purchase) }

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
    departures = [:]
  }

  /// Records a transaction that has left the queue, with the purchase of a finish that the store has taken.
  mutating func recordDeparture(of id: UUID, finishing purchase: String?) {
    departures.updateValue(purchase, forKey: id)
  }

  /// The account has left.
  mutating func leave() {
    lane.stop()
    departures = [:]
  }
}
