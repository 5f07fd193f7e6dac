import Foundation
import OnsideAPI

/// Work of which one piece runs at a time. The answer to anything but the current round is dropped.
struct Lane: Hashable, Sendable {
  private(set) var round = 0
  private(set) var isBusy = false
  /// How many pieces have failed since one went well.
  private(set) var failures = 0

  mutating func start() -> Int {
    round += 1
    isBusy = true
    return round
  }

  mutating func stop() {
    round += 1
    isBusy = false
  }

  mutating func end() { isBusy = false }

  /// Counts a failure and returns the number of failures.
  mutating func fail() -> Int {
    failures += 1
    return failures
  }

  mutating func succeed() { failures = 0 }

  func isCurrent(_ other: Int) -> Bool { isBusy && round == other }
}

/// The sync's rounds and failures, and the transactions that have left the queue since the answer under way was made.
struct SyncLane: Sendable {
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

  /// Starts a round and returns its number; nil while another one runs.
  mutating func start() -> Int? { lane.isBusy ? nil : lane.start() }

  /// Ends the round, so that the next one may start.
  mutating func end() { lane.end() }

  /// Drops the answer to the round that is under way.
  mutating func stop() { lane.stop() }

  /// Ends the pause after failures; returns whether there were failures.
  mutating func wake() -> Bool {
    guard lane.failures > 0 else { return false }
    lane.stop()
    lane.succeed()
    return true
  }

  /// Counts a failure and returns the number of failures.
  mutating func fail() -> Int { lane.fail() }

  /// Records an answer of the store, which contains each finish that the store has acknowledged.
  mutating func succeed() {
    lane.succeed()
    departures = [:]
  }

  /// Records a transaction that has left the queue, with the purchase of a finish that the store has taken.
  mutating func recordDeparture(of id: UUID, finishing purchase: String?) {
    departures.updateValue(purchase, forKey: id)
  }

  /// Resets the lane after a logout.
  mutating func leave() {
    lane.stop()
    departures = [:]
  }
}

/// The requested restore and the running one.
struct RestoreLane: Sendable {
  private var lane = Lane()
  private var isWanted = false

  var round: Int { lane.round }

  func isCurrent(_ round: Int) -> Bool { lane.isCurrent(round) }

  /// Requests a restore. Returns false while one runs, which the request joins.
  mutating func request() -> Bool {
    guard !lane.isBusy else { return false }
    isWanted = true
    return true
  }

  /// Starts the requested restore and returns its round; nil without a request or while one runs.
  mutating func start() -> Int? {
    guard isWanted, !lane.isBusy else { return nil }
    isWanted = false
    return lane.start()
  }

  /// Ends the restore, so that another one may start.
  mutating func end() { lane.end() }

  /// Withdraws the requested restore that has not started; returns whether there was one.
  mutating func withdraw() -> Bool {
    defer { isWanted = false }
    return isWanted
  }

  /// Withdraws the requested and the running restore; returns whether there was one.
  mutating func cancel() -> Bool {
    let isPending = isWanted || lane.isBusy
    isWanted = false
    lane.stop()
    return isPending
  }
}

/// The finish that is being sent to the store. Finishes that wait are in the books.
struct FinishLane: Sendable {
  private var lane = Lane()
  /// The account of the last finish that was sent.
  private var owner: AccountID?

  var round: Int { lane.round }
  var isBusy: Bool { lane.isBusy }

  /// The account whose last finish failed: the other accounts are served before its next attempt.
  var failedOwner: AccountID? { lane.failures > 0 ? owner : nil }

  func isCurrent(_ round: Int) -> Bool { lane.isCurrent(round) }

  /// The account whose finish is being sent in this round; nil when the round is not the current one.
  func owner(in round: Int) -> AccountID? { lane.isCurrent(round) ? owner : nil }

  mutating func start(for owner: AccountID) -> Int {
    self.owner = owner
    return lane.start()
  }

  /// Ends the round, so that the next finish may be sent.
  mutating func end() { lane.end() }

  /// Ends the round after an answer that was final.
  mutating func succeed() {
    lane.end()
    lane.succeed()
  }

  /// Counts a failure and returns the number of failures.
  mutating func fail() -> Int { lane.fail() }

  /// Drops the answer to the round that is under way.
  mutating func stop() { lane.stop() }
}
