import Foundation

/// The wrong codes that were entered in a row for a number or address, in unrecognized browsers.
///
/// From the tenth on, each further one has to wait: 30 seconds, then twice as long each time, up to an hour. A right
/// code ends the row. Recognized browsers do not wait.
enum CodeFailures {
  /// Seconds until the row is forgotten.
  static let lifetime: TimeInterval = 30 * 86_400
  private static let firstDelay: TimeInterval = 30
  private static let longestDelay: TimeInterval = 3600

  /// The seconds that are left of the delay; nil without one.
  static func wait(count: Int64?, failedAt: Date?, limits: CodeLimits, at now: Date) -> TimeInterval? {
    guard let count, let failedAt, count >= limits.failures else { return nil }
    let doublings = min(count - Int64(limits.failures), 20)
    let delay = min(longestDelay, firstDelay * Double(1 << doublings))
    let wait = failedAt.addingTimeInterval(delay).timeIntervalSince(now)
    return wait > 0 ? wait : nil
  }

  /// The delay of a number or address now; nil without one.
  static func limit(
    contact: String, limits: CodeLimits, in transaction: StoreTransaction
  ) throws -> CodeLimitReached? {
    let row = try transaction.row("SELECT count, failed_at FROM code_failures WHERE contact = $1", [.text(contact)])
    return try wait(
      count: row?.integer("count"), failedAt: row?.date("failed_at"), limits: limits, at: transaction.now
    ).map { CodeLimitReached(limit: .failures, wait: $0) }
  }

  /// Counts a wrong code, and ends the row after a right one; returns the length of the row. Every outcome runs the
  /// same statements.
  ///
  /// - Parameters:
  ///   - wrong: the number or address of a wrong code; empty for a try that does not count.
  ///   - right: the number or address of a right code; empty without one.
  static func count(wrong: String, right: String, in transaction: StoreTransaction) throws -> Int64 {
    let row = try transaction.row(
      """
      INSERT INTO code_failures(contact, count, failed_at) SELECT $1, 1, CAST($2 AS BIGINT) WHERE $1 <> ''
      ON CONFLICT(contact) DO UPDATE SET count = code_failures.count + 1, failed_at = excluded.failed_at
      RETURNING count
      """, [.text(wrong), .date(transaction.now)])
    try transaction.execute("DELETE FROM code_failures WHERE contact = $1", [.text(right)])
    return try row?.integer("count") ?? 0
  }

  /// Deletes some rows without a wrong code for a month.
  static func purge(in transaction: StoreTransaction) throws {
    try transaction.deleteSome(
      from: "code_failures", where: "failed_at < $1", [.date(transaction.now - lifetime)], key: "contact")
  }
}
