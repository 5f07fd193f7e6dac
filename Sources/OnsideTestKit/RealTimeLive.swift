/// Real time: only for how long a test waits, never for what happens in it.
enum RealTime {
  /// The most time that a turn counts. On a busy machine a turn takes long because other programs have the processor,
  /// not because the expected result is missing.
  static let longestTurn = Duration.milliseconds(10)

  /// Lets other tasks run, on the main actor and elsewhere. A long wait looks less often.
  /// - Returns: how much of a test's patience that has cost.
  static func breathe(turn: Int) async throws -> Duration {
    let start = ContinuousClock.now
    if turn.isMultiple(of: 64) { try await Task.sleep(for: .milliseconds(1)) } else { await Task.yield() }
    return min(.now - start, longestTurn)
  }
}
