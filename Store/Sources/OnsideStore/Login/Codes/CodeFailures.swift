import Foundation
import OnsideCommerce

/// The wrong codes that were entered in a row for a number or address: one row for all unrecognized browsers together,
/// and one for each recognized browser, so that the guesses of strangers do not delay the owner.
///
/// From the tenth on, each further one has to wait: 30 seconds, then twice as long each time, up to an hour. A right
/// code ends the row.
struct CodeFailures: Sendable {
  /// Seconds until the row is forgotten.
  static let lifetime: TimeInterval = 30 * 86_400
  private static let firstDelay: TimeInterval = 30
  private static let longestDelay: TimeInterval = 3600

  /// The row's id: the number or address, and the browser if it is recognized.
  let id: String

  init(contact: String, recognized browser: String?) {
    id = browser.map { "\(contact) \($0)" } ?? contact
  }

  /// The delay now; nil without one.
  func limit(_ limits: CodeLimits, in transaction: StoreTransaction) throws -> CodeLimitReached? {
    let row = try transaction.row("SELECT count, failed_at FROM code_failures WHERE id = $1", [.text(id)])
    let wait = try Self.wait(
      count: row?.integer("count") ?? 0, failedAt: row?.date("failed_at"), limits: limits, at: transaction.now)
    return wait.map { CodeLimitReached(limit: .failures, wait: $0) }
  }

  /// The seconds that are left of the delay; nil without one.
  static func wait(count: Int64, failedAt: Date?, limits: CodeLimits, at now: Date) -> TimeInterval? {
    guard let failedAt, count >= limits.failures else { return nil }
    let doublings = min(count - Int64(limits.failures), 20)
    let delay = min(longestDelay, firstDelay * Double(1 << doublings))
    let wait = failedAt.addingTimeInterval(delay).timeIntervalSince(now)
    return wait > 0 ? wait : nil
  }

  /// The result of a try for the row.
  enum Change: Sendable {
    case wrong, right
    /// No code was compared.
    case none
  }

  /// Counts a wrong code, and ends the row after a right one; returns the length of the row. Every change runs the same
  /// statements.
  func count(_ change: Change, in transaction: StoreTransaction) throws -> Int64 {
    let row = try transaction.row(
      """
      INSERT INTO code_failures(id, count, failed_at) SELECT $1, 1, CAST($2 AS BIGINT) WHERE $1 <> ''
      ON CONFLICT(id) DO UPDATE SET count = code_failures.count + 1, failed_at = excluded.failed_at
      RETURNING count
      """, [.text(change == .wrong ? id : ""), .date(transaction.now)])
    try transaction.execute("DELETE FROM code_failures WHERE id = $1", [.text(change == .right ? id : "")])
    return try row?.integer("count") ?? 0
  }

  /// Deletes the rows of a number or address.
  static func forget(_ contact: String, in transaction: StoreTransaction) throws {
    // A space stands before the browser's hash, and '!' is the character after a space.
    try transaction.execute(
      "DELETE FROM code_failures WHERE id = $1 OR (id > $2 AND id < $3)",
      [.text(contact), .text(contact + " "), .text(contact + "!")])
  }

  /// Deletes some rows without a wrong code for a month.
  static func purge(in transaction: StoreTransaction) throws {
    try transaction.deleteSome(from: "code_failures", where: "failed_at < $1", [.date(transaction.now - lifetime)])
  }
}
