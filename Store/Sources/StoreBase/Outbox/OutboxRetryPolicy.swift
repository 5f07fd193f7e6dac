import Foundation

/// The waits between the tries of a failed delivery. It is tried until its receiver accepts it.
enum OutboxRetryPolicy {
  /// Seconds until the next try, by the number of failed tries before this one.
  private static let delays: [TimeInterval] = [1, 5, 30, 120, 600, 3600]

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
}
