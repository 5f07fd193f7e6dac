/// Real time: only for how long a test waits, never for what happens in it.
enum RealTime {
  static var now: ContinuousClock.Instant { .now }

  /// Lets others work. Who looks for long looks less often.
  static func breathe(turn: Int) async throws {
    if turn.isMultiple(of: 64) { try await Task.sleep(for: .milliseconds(1)) } else { await Task.yield() }
  }
}
