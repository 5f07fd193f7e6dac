import StoreBase
import StoreSales

/// The numbered events of an app.
enum FeedRecords {
  /// The most events of other types that one page looks at.
  static let lookLimit = 5000

  /// Reads the events after a number, the oldest first.
  static func page(after number: Int64, of query: FeedQuery, in connection: any SQLConnection) throws -> FeedPage {
    guard !query.types.isEmpty else {
      let events = try events(after: number, of: query, in: connection)
      return FeedPage(events: events, cursor: events.last?.id, isAtEnd: events.count < query.limit)
    }
    let full = try id(at: lookLimit, after: number, of: query.app, in: connection)
    guard let last = try full ?? newest(after: number, of: query.app, in: connection) else { return FeedPage() }
    let events = try events(after: number, upTo: last.number, of: query, in: connection)
    guard events.count < query.limit else {
      return FeedPage(events: events, cursor: events.last?.id, isAtEnd: false)
    }
    return FeedPage(events: events, cursor: last, isAtEnd: full == nil)
  }

  /// A Boolean value that indicates whether an id is that of an event of this history, of which retention may have
  /// deleted the row. An id from commits that a restore has lost is unknown.
  ///
  /// The numbers of an epoch are consecutive. If the next event that exists has the id's epoch, the event with the id's
  /// number has it, too.
  static func isKnown(_ id: MerchantEventID, of app: String, in connection: any SQLConnection) throws -> Bool {
    let next = try connection.row(
      "SELECT epoch FROM merchant_events WHERE app_id = $1 AND number >= $2 ORDER BY number LIMIT 1",
      [.text(app), .integer(id.number)])
    if let next { return try next.text("epoch") == id.epoch }
    guard try SyncEpoch.current(in: connection) == id.epoch else { return false }
    return try EventNumberRecords.newest(of: app, in: connection) >= id.number
  }

  /// The event of an app with a number; nil if retention has deleted it.
  static func event(_ number: Int64, of app: String, in connection: any SQLConnection) throws -> FeedEvent? {
    try connection.row(
      "SELECT * FROM merchant_events WHERE app_id = $1 AND number = $2", [.text(app), .integer(number)]
    ).map(event)
  }

  private static func events(
    after number: Int64, upTo last: Int64 = .max, of query: FeedQuery, in connection: any SQLConnection
  ) throws -> [FeedEvent] {
    let types = query.types.sorted()
    let names = types.indices.map { "$\($0 + 5)" }.joined(separator: ", ")
    let rows = try connection.rows(
      """
      SELECT * FROM merchant_events WHERE app_id = $1 AND number > $2 AND number <= $3
      \(types.isEmpty ? "" : "AND type IN (\(names))") ORDER BY number LIMIT $4
      """,
      [.text(query.app), .integer(number), .integer(last), .integer(query.limit)] + types.map { .text($0) })
    return try rows.map(event)
  }

  /// The id of the `count`-th event after a number.
  private static func id(
    at count: Int, after number: Int64, of app: String, in connection: any SQLConnection
  ) throws -> MerchantEventID? {
    try connection.row(
      """
      SELECT epoch, number FROM merchant_events WHERE app_id = $1 AND number > $2
      ORDER BY number LIMIT 1 OFFSET $3
      """, [.text(app), .integer(number), .integer(count - 1)]
    ).map(id)
  }

  private static func newest(
    after number: Int64, of app: String, in connection: any SQLConnection
  ) throws -> MerchantEventID? {
    try connection.row(
      "SELECT epoch, number FROM merchant_events WHERE app_id = $1 AND number > $2 ORDER BY number DESC LIMIT 1",
      [.text(app), .integer(number)]
    ).map(id)
  }

  private static func id(_ row: SQLRow) throws -> MerchantEventID {
    MerchantEventID(epoch: try row.text("epoch"), number: try row.integer("number"))
  }

  /// The event of a row with all columns.
  static func event(_ row: SQLRow) throws -> FeedEvent {
    let kind = try row.text("kind")
    guard let kind = EventObject.Kind(rawValue: kind) else {
      throw StorageError.unexpectedValue(column: "kind", expected: "a kind of objects")
    }
    return FeedEvent(
      id: try id(row), app: try row.text("app_id"), kind: kind, object: try row.text("object_id"),
      sequence: try row.integer("sequence"), type: try row.text("type"), cause: try row.optionalText("cause"),
      subject: try row.text("subject"), appAccountToken: try row.optionalText("app_account_token"),
      occurredAt: try row.date("occurred_at"), createdAt: try row.date("created_at"), data: try row.text("data"))
  }
}
