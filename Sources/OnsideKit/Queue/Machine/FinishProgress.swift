import OnsideAPI

/// The finish that the store is being told of. The finishes that are still to be sent are in the books.
struct FinishProgress: Sendable {
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

  /// Counts a failure and answers how many there are now.
  mutating func fail() -> Int { lane.fail() }

  /// Drops the answer to the round that is under way.
  mutating func stop() { lane.stop() }
}
