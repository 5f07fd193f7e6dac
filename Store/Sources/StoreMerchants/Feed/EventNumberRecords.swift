import StoreBase

/// The counters of apps' events.
enum EventNumberRecords {
  /// Events that have got numbers.
  struct Assigned: Equatable {
    var count = 0
    /// The highest number, by app.
    var newest: [String: Int64] = [:]
  }

  static func isWaiting(in connection: any SQLConnection) throws -> Bool {
    try connection.row("SELECT 1 AS one FROM merchant_events WHERE number IS NULL LIMIT 1") != nil
  }

  /// Numbers the oldest waiting events. The counters of their apps are locked first, because the rows are read with
  /// their present counters.
  static func assign(limit: Int, epoch: String, in transaction: StoreTransaction) throws -> Assigned {
    try transaction.execute(
      """
      INSERT INTO event_counters(app_id, newest)
      SELECT DISTINCT app_id, 0 FROM (
        SELECT app_id FROM merchant_events WHERE number IS NULL ORDER BY position LIMIT $1
      ) AS waiting WHERE true
      ON CONFLICT(app_id) DO UPDATE SET newest = event_counters.newest
      """, [.integer(limit)])
    let rows = try transaction.rows(
      """
      UPDATE merchant_events SET epoch = $1, number = numbered.next
      FROM (
        SELECT waiting.position, event_counters.newest
          + row_number() OVER (PARTITION BY waiting.app_id ORDER BY waiting.position) AS next
        FROM (
          SELECT position, app_id FROM merchant_events WHERE number IS NULL ORDER BY position LIMIT $2
        ) AS waiting
        JOIN event_counters ON event_counters.app_id = waiting.app_id
      ) AS numbered
      WHERE merchant_events.position = numbered.position
      RETURNING app_id, number
      """, [.text(epoch), .integer(limit)])
    var assigned = Assigned(count: rows.count)
    for row in rows {
      let (app, number) = (try row.text("app_id"), try row.integer("number"))
      assigned.newest[app] = max(assigned.newest[app] ?? 0, number)
    }
    for (app, newest) in assigned.newest {
      try transaction.execute(
        "UPDATE event_counters SET newest = $2 WHERE app_id = $1", [.text(app), .integer(newest)])
    }
    return assigned
  }

  /// The highest number of some apps' events; apps without numbered events are absent.
  static func newest(of apps: [String], in connection: any SQLConnection) throws -> [String: Int64] {
    let rows = try connection.rows("SELECT app_id, newest FROM event_counters")
    let all = try rows.map { (try $0.text("app_id"), try $0.integer("newest")) }
    return Dictionary(uniqueKeysWithValues: all.filter { apps.contains($0.0) })
  }

  /// The highest number of an app's events; 0 without numbered events.
  static func newest(of app: String, in connection: any SQLConnection) throws -> Int64 {
    try connection.row("SELECT newest FROM event_counters WHERE app_id = $1", [.text(app)])?.integer("newest") ?? 0
  }
}
