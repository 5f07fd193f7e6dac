import Foundation

/// When a failed delivery is tried again, and when it is set aside.
enum OutboxRetryPolicy {
  /// Seconds until the next try, by the number of failed tries before this one; the last goes on until the row is set
  /// aside.
  private static let delays: [TimeInterval] = [1, 5, 30, 120, 600, 3600]
  /// A row is set aside when it has failed for so many seconds, and so often: a store that was off has not tried.
  private static let patience: TimeInterval = 86_400
  private static let leastTries = 10

  /// Seconds until a row is tried again, at most `longest`.
  static func delay(earlierTries: Int, longest: TimeInterval?) -> TimeInterval {
    min(delays[min(earlierTries, delays.count - 1)], longest ?? .infinity)
  }

  /// The most seconds that a receiver can ask for.
  private static let longestWait: TimeInterval = 600

  /// Seconds until a receiver is called again that asked for time.
  static func wait(told: Duration) -> TimeInterval {
    min(max(told.seconds, 1), longestWait)
  }

  /// Whether a row is set aside after this many failed tries.
  static func isOver(tries: Int, failingSince start: Date, at now: Date) -> Bool {
    tries >= leastTries && now.timeIntervalSince(start) >= patience
  }
}
