import Foundation
import StoreBase

/// The log of attempts.
enum AttemptRecords {
  static func insert(_ attempt: LoggedAttempt, of endpoint: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      """
      INSERT INTO webhook_attempts(endpoint_id, event_id, ended_at, outcome, status, answer, took_ms)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      """,
      [
        .text(endpoint), .text(attempt.event), .date(attempt.endedAt), .text(attempt.outcome.rawValue),
        attempt.status.map { SQLValue.integer($0) } ?? .null, .text(attempt.answer), .integer(attempt.milliseconds),
      ])
  }

  /// The newest attempts of an endpoint, the newest first.
  static func newest(
    of endpoint: String, onlyFailed: Bool, limit: Int, in connection: any SQLConnection
  ) throws -> [LoggedAttempt] {
    let condition = onlyFailed ? "AND outcome <> '\(WebhookOutcome.delivered.rawValue)'" : ""
    return try connection.rows(
      """
      SELECT * FROM webhook_attempts WHERE endpoint_id = $1 \(condition) ORDER BY position DESC LIMIT $2
      """, [.text(endpoint), .integer(limit)]
    ).map { row in
      LoggedAttempt(
        event: try row.text("event_id"), endedAt: try row.date("ended_at"),
        outcome: WebhookOutcome(rawValue: try row.text("outcome")),
        status: try row.optionalInteger("status").map { Int($0) }, answer: try row.text("answer"),
        milliseconds: try row.integer("took_ms"))
    }
  }

  /// Deletes some attempts from before a time; returns how many.
  static func clear(endedBefore time: Date, in connection: any SQLConnection) throws -> Int {
    try connection.deleteSome(from: "webhook_attempts", where: "ended_at < $1", [.date(time)], key: "position")
  }
}
