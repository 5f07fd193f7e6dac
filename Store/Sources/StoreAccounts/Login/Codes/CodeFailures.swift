import Foundation
import OnsideCommerce
package import StoreBase

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

  /// Returns the current delay, or nil.
  func limit(_ limits: CodeLimits, in transaction: StoreTransaction) throws -> CodeLimitReached? {
    let row = try transaction.row(
      "SELECT count, failed_at FROM code_failures WHERE contact = $1 AND browser = $2",
      [.text(contact), .text(browser)])
    let wait = try Self.wait(
      count: row?.integer("count") ?? 0, failedAt: row?.date("failed_at"), limits: limits, at: transaction.now)
    return wait.map { CodeLimitReached(limit: .failures, wait: $0) }
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

  /// Counts a wrong code, or deletes the streak after a right one. Returns the new length of the streak. All changes
  /// run the same statements, so that their time reveals nothing.
  func count(_ change: Change, in transaction: StoreTransaction) throws -> Int64 {
    let row = try transaction.row(
      """
      INSERT INTO code_failures(contact, browser, count, failed_at)
      SELECT $1, $2, 1, CAST($3 AS BIGINT) WHERE $1 <> ''
      ON CONFLICT(contact, browser) DO UPDATE SET count = code_failures.count + 1, failed_at = excluded.failed_at
      RETURNING count
      """, [.text(change == .wrong ? contact : ""), .text(browser), .date(transaction.now)])
    try transaction.execute(
      "DELETE FROM code_failures WHERE contact = $1 AND browser = $2",
      [.text(change == .right ? contact : ""), .text(browser)])
    return try row?.integer("count") ?? 0
  }

  /// Deletes the streaks of a number or address.
  package static func delete(_ contact: String, in transaction: StoreTransaction) throws {
    try transaction.execute("DELETE FROM code_failures WHERE contact = $1", [.text(contact)])
  }

  /// Deletes some streaks whose last wrong code is older than ``lifetime``.
  static func purge(in transaction: StoreTransaction) throws {
    try transaction.deleteSome(
      from: "code_failures", where: "failed_at < $1", [.date(transaction.now - lifetime)], key: "contact, browser")
  }
}
