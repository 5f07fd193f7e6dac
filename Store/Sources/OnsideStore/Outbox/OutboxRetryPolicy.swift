import Foundation

/// When a failed delivery is tried again, and when it is set aside.
enum OutboxRetryPolicy {
  /// Seconds until the next try, by the number of failed tries before this one; the last goes on until the row is set
  /// aside.
  private static let delays: [TimeInterval] = [1, 5, 30, 120, 600, 3600]
  /// The longest delay of a payment that a buyer waits for, in seconds. It ends ten minutes after it was requested.
  private static let longestAwaitedDelay: TimeInterval = 60
  /// A row is set aside when it has failed for so many seconds, and so often: a store that was off has not tried.
  private static let patience: TimeInterval = 86_400
  private static let leastTries = 10

  /// Seconds until a row of a kind is tried again.
  static func delay(kind: String, earlierTries: Int) -> TimeInterval {
    let delay = delays[min(earlierTries, delays.count - 1)]
    let isAwaited = [PaymentOutboxKind.start, PaymentOutboxKind.confirm].contains(kind)
    return isAwaited ? min(delay, longestAwaitedDelay) : delay
  }

  /// Whether a row is set aside after this many failed tries.
  static func isOver(tries: Int, failingSince start: Date, at now: Date) -> Bool {
    tries >= leastTries && now.timeIntervalSince(start) >= patience
  }
}
