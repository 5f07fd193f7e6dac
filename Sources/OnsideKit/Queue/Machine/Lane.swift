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

  /// Counts a failure and answers how many there are now.
  mutating func fail() -> Int {
    failures += 1
    return failures
  }

  mutating func succeed() { failures = 0 }

  func isCurrent(_ other: Int) -> Bool { isBusy && round == other }
}
