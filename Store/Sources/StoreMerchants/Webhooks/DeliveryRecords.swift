import Foundation
import StoreBase

/// The table of deliveries that an endpoint has not accepted.
enum DeliveryRecords {
  /// The most rows that one look reads.
  private static let limit = 500
  /// No row younger than ``DeliveryPlan/orderedTime`` is due later than this: the third attempt is not made by then.
  private static let orderedLimit: TimeInterval = 900

  static func save(_ delivery: WebhookDelivery, of endpoint: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      """
      INSERT INTO webhook_deliveries(endpoint_id, number, object, attempts, started_at, due_at)
      VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT(endpoint_id, number) DO UPDATE SET attempts = excluded.attempts, due_at = excluded.due_at
      """,
      [
        .text(endpoint), .integer(delivery.number), .text(delivery.object), .integer(delivery.attempts),
        .date(delivery.startedAt ?? transaction.now), .date(delivery.dueAt),
      ])
  }

  static func delete(_ number: Int64, of endpoint: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "DELETE FROM webhook_deliveries WHERE endpoint_id = $1 AND number = $2", [.text(endpoint), .integer(number)])
  }

  /// The rows that are due, or that later events of their objects wait for; the longest due first.
  static func open(of endpoint: String, at now: Date, in connection: any SQLConnection) throws -> [WebhookDelivery] {
    try connection.rows(
      """
      SELECT * FROM webhook_deliveries
      WHERE endpoint_id = $1 AND due_at <= $2 AND (due_at <= $3 OR started_at > $4)
      ORDER BY due_at, number LIMIT $5
      """,
      [
        .text(endpoint), .date(now + orderedLimit), .date(now), .date(now - DeliveryPlan.orderedTime), .integer(limit),
      ]
    ).map { row in
      WebhookDelivery(
        number: try row.integer("number"), object: try row.text("object"), attempts: Int(try row.integer("attempts")),
        startedAt: try row.date("started_at"), dueAt: try row.optionalDate("due_at"), isStored: true)
    }
  }

  /// The numbers of rows with and without another retry, by endpoint.
  static func counts(
    in connection: any SQLConnection
  ) throws -> [String: DeliveryCounts] {
    let rows = try connection.rows(
      """
      SELECT endpoint_id, count(*) AS total, count(due_at) AS waiting FROM webhook_deliveries GROUP BY endpoint_id
      """)
    var counts: [String: DeliveryCounts] = [:]
    for row in rows {
      let (total, waiting) = (Int(try row.integer("total")), Int(try row.integer("waiting")))
      counts[try row.text("endpoint_id")] = DeliveryCounts(waiting: waiting, exhausted: total - waiting)
    }
    return counts
  }

  /// Makes all rows of an endpoint due, as new deliveries; returns how many.
  ///
  /// - Parameter onlyFailed: whether rows without a failed attempt stay as they are.
  static func restart(of endpoint: String, onlyFailed: Bool, in transaction: StoreTransaction) throws -> Int {
    try transaction.execute(
      """
      UPDATE webhook_deliveries SET attempts = 0, started_at = $2, due_at = $2
      WHERE endpoint_id = $1 AND attempts >= $3
      """, [.text(endpoint), .date(transaction.now), .integer(onlyFailed ? 1 : 0)])
  }

  /// Adds rows for events at or before the cursor of an endpoint, or restarts them: at most 500 in the order of their
  /// numbers.
  static func add(
    _ selection: ResendSelection, to endpoint: WebhookEndpoint, in transaction: StoreTransaction
  ) throws -> (count: Int, last: Int64) {
    let types = selection.types.sorted()
    let names = types.indices.map { "$\($0 + 7)" }.joined(separator: ", ")
    let rows = try transaction.rows(
      """
      INSERT INTO webhook_deliveries(endpoint_id, number, object, attempts, started_at, due_at)
      SELECT CAST($1 AS TEXT), number, object, 0, CAST($2 AS BIGINT), CAST($2 AS BIGINT) FROM (
        SELECT number, kind || '/' || object_id AS object FROM merchant_events
        WHERE app_id = $3 AND number > $4 AND number <= $5 AND created_at >= $6
        \(types.isEmpty ? "" : "AND type IN (\(names))") ORDER BY number LIMIT \(limit)
      ) AS chosen WHERE true
      ON CONFLICT(endpoint_id, number) DO UPDATE SET attempts = 0, started_at = excluded.started_at,
        due_at = excluded.due_at
      RETURNING number
      """,
      [
        .text(endpoint.id), .date(transaction.now), .text(endpoint.app), .integer(selection.after),
        .integer(selection.last), .date(selection.since),
      ] + types.map { .text($0) })
    let numbers = try rows.map { try $0.integer("number") }
    return (numbers.count, numbers.max() ?? selection.last)
  }

  /// Deletes some deliveries without another retry from before a time; returns how many.
  static func clear(startedBefore time: Date, in connection: any SQLConnection) throws -> Int {
    try connection.deleteSome(
      from: "webhook_deliveries", where: "due_at IS NULL AND started_at < $1", [.date(time)],
      key: "endpoint_id, number")
  }
}

/// The numbers of an endpoint's failed deliveries.
struct DeliveryCounts: Sendable, Hashable {
  var waiting = 0
  var exhausted = 0
}

/// Events of an app that an endpoint gets again.
struct ResendSelection: Sendable, Hashable {
  /// The events have higher numbers.
  var after: Int64
  /// The highest number.
  var last: Int64
  var since: Date = Date(timeIntervalSince1970: 0)
  /// Empty for all.
  var types: Set<String> = []
}
