import Foundation

/// The streak of wrong codes for a number or address. All unrecognized browsers share one streak; each recognized
/// browser has its own, so that guesses elsewhere do not delay the owner.
///
/// From ``CodeLimits/failures`` wrong codes on, the next try is delayed: 30 seconds, doubled with each wrong code, at
/// most an hour. A right code deletes the streak.
package struct CodeFailures: Sendable {
  /// Seconds from the last wrong code until the streak is deleted.
  static let lifetime: TimeInterval = 30 * 86_400
  private static let firstDelay: TimeInterval = 30
  private static let longestDelay: TimeInterval = 3600

  let contact: String
  /// The hash of a recognized browser's cookie; empty for all other browsers.
  let browser: String

  init(contact: String, recognized browser: String?) {
    (self.contact, self.browser) = (contact, browser ?? "")
  }

  /// Returns the remaining seconds of the delay, or nil.
  static func wait(count: Int64, failedAt: Date?, limits: CodeLimits, at now: Date) -> TimeInterval? {
    guard let failedAt, count >= limits.failures else { return nil }
    let doublings = min(count - Int64(limits.failures), 20)
    let delay = min(longestDelay, firstDelay * Double(1 << doublings))
    let wait = failedAt.addingTimeInterval(delay).timeIntervalSince(now)
    return wait > 0 ? wait : nil
  }

  /// The effect of a try on the streak.
  enum Change: Sendable {
    case wrong, right
    /// No code was compared.
    case unchanged
  }
}
