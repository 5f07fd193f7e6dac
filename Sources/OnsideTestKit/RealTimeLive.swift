/// Real time: only for how long a test waits, never for what happens in it.
enum RealTime {
  /// Lets other tasks run, on the main actor and elsewhere. Every 64th turn sleeps for 1 ms.
  static func breathe(turn: Int) async throws {
    if turn.isMultiple(of: 64) { try await Task.sleep(for: .milliseconds(1)) } else { await Task.yield() }
  }
}
