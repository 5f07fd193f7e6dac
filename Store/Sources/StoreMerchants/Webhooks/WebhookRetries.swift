package import Foundation

/// The pauses before the retries of a failed delivery: the table of Standard Webhooks 1.0.0, 75 h 35 min 5 s in all.
package enum WebhookRetries {
  /// The pauses in seconds: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h.
  package static let pauses: [TimeInterval] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
  /// The largest share of a pause by which jitter extends it.
  private static let spread = 0.2

  /// The pause after a number of failed attempts, from 1 on; nil if there are no further retries.
  ///
  /// - Parameter jitter: A random number from 0 up to 1; the pause is up to a fifth longer.
  package static func delay(after attempts: Int, jitter: Double) -> TimeInterval? {
    guard pauses.indices.contains(attempts - 1) else { return nil }
    return pauses[attempts - 1] * (1 + spread * jitter)
  }
}
