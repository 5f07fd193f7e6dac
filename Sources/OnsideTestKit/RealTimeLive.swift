/// Real time: only for how long a test waits, never for what happens in it.
enum RealTime {
  /// What a turn counts at most. On a busy machine a turn takes long because others have the processor, not because what
  /// is waited for does not come.
  static let longestTurn = Duration.milliseconds(10)

  /// Lets others work, on the main actor and elsewhere. Who looks for long looks less often.
  /// - Returns: how much of a test's patience that has cost.
  static func breathe(turn: Int) async throws -> Duration {
    let start = ContinuousClock.now
    if turn.isMultiple(of: 64) { try await Task.sleep(for: .milliseconds(1)) } else { await Task.yield() }
    return min(.now - start, longestTurn)
  }
}
