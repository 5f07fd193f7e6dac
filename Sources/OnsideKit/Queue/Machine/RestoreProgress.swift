/// Whether a restore is wanted, and the one that is under way.
struct RestoreProgress: Sendable {
  private var lane = Lane()
  private var isWanted = false

  var round: Int { lane.round }

  func isCurrent(_ round: Int) -> Bool { lane.isCurrent(round) }

  /// Asks for a restore. Answers false when one is under way, which is joined.
  mutating func request() -> Bool {
    guard !lane.isBusy else { return false }
    isWanted = true
    return true
  }

  /// Starts the restore that is wanted and answers its round; nil when none is wanted or one is under way.
  mutating func start() -> Int? {
    guard isWanted, !lane.isBusy else { return nil }
    isWanted = false
    return lane.start()
  }

  /// Ends the restore, so that another one may start.
  mutating func end() { lane.end() }

  /// Gives up the restore that is wanted and has not started, and answers whether there was one.
  mutating func withdraw() -> Bool {
    defer { isWanted = false }
    return isWanted
  }

  /// Gives up what is wanted or under way, and answers whether there was anything.
  mutating func cancel() -> Bool {
    let isPending = isWanted || lane.isBusy
    isWanted = false
    lane.stop()
    return isPending
  }
}
