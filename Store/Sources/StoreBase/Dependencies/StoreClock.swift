public import Foundation

/// Time, as the store is given it.
public protocol StoreClock: Sendable {
  /// The present moment.
  func now() -> Date
  /// Time that never jumps, from an arbitrary beginning: for measuring, waiting and limiting.
  func uptime() -> Duration
  /// Waits; throws `CancellationError` when the task is cancelled meanwhile.
  func sleep(for duration: Duration) async throws
}
