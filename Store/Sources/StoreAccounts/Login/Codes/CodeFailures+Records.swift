import Foundation
package import StoreBase

/// The table of the streaks.
extension CodeFailures {
  /// Returns the current delay, or nil.
  func limit(_ limits: CodeLimits, in transaction: StoreTransaction) throws -> CodeLimitReached? {
    let row = try transaction.row(
      "SELECT count, failed_at FROM code_failures WHERE contact = $1 AND browser = $2",
      [.text(contact), .text(browser)])
    let wait = try Self.wait(
      count: row?.integer("count") ?? 0, failedAt: row?.date("failed_at"), limits: limits, at: transaction.now)
    return wait.map { CodeLimitReached(limit: .failures, wait: $0) }
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
