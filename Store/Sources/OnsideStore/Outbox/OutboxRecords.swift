import Foundation

/// The table of the outbox. It is separate from ``Outbox``, whose handlers hold the services that write rows. Every
/// call runs inside the caller's transaction.
package struct OutboxRecords: Sendable {
  /// A delivery.
  struct Row: Sendable {
    let kind: String
    let payload: String
  }

  /// What became of a failed delivery.
  enum Postponement: Sendable {
    case later, setAside
  }

  package init() {}

  /// Writes a row; returns its number.
  @discardableResult
  func add(_ kind: String, payload: String, due: Date, in transaction: StoreTransaction) throws -> Int64 {
    try transaction.row(
      "INSERT INTO outbox(kind, payload, due_at, attempts) VALUES ($1, $2, $3, 0) RETURNING id",
      [.text(kind), .text(payload), .date(due)])?.integer("id") ?? 0
  }

  func row(_ id: Int64, in connection: any SQLConnection) throws -> Row? {
    try connection.row("SELECT kind, payload FROM outbox WHERE id = $1", [.integer(id)]).map {
      Row(kind: try $0.text("kind"), payload: try $0.text("payload"))
    }
  }

  /// The numbers of the rows of a kind that are due, in the order in which they became due.
  func due(_ kind: String, limit: Int, in transaction: StoreTransaction) throws -> [Int64] {
    try transaction.rows(
      """
      SELECT id FROM outbox WHERE kind = $1 AND due_at <= $2 AND set_aside_at IS NULL
      ORDER BY due_at, id LIMIT \(limit)
      """, [.text(kind), .date(transaction.now)]
    ).map { try $0.integer("id") }
  }

  func delete(_ id: Int64, in transaction: StoreTransaction) throws {
    try transaction.execute("DELETE FROM outbox WHERE id = $1", [.integer(id)])
  }

  /// Records a failed try.
  ///
  /// - Parameter longestDelays: the most seconds until the next try, by the kinds of rows that have a limit.
  func postpone(
    _ id: Int64, because error: String, longestDelays: [String: TimeInterval], in transaction: StoreTransaction
  ) throws -> Postponement {
    let row = try transaction.row("SELECT kind, attempts, failing_since FROM outbox WHERE id = $1", [.integer(id)])
    guard let row else { return .later }
    let (now, earlier) = (transaction.now, Int(try row.integer("attempts")))
    let since = try row.optionalDate("failing_since") ?? now
    let isOver = OutboxRetryPolicy.isOver(tries: earlier + 1, failingSince: since, at: now)
    let delay = OutboxRetryPolicy.delay(earlierTries: earlier, longest: longestDelays[try row.text("kind")])
    try transaction.execute(
      """
      UPDATE outbox SET attempts = $2, due_at = $3, failing_since = $4, set_aside_at = $5, error = $6 WHERE id = $1
      """,
      [
        .integer(id), .integer(earlier + 1), .date(now.addingTimeInterval(delay)), .date(since),
        .date(isOver ? now : nil), .text(error),
      ])
    return isOver ? .setAside : .later
  }
}

/// What the operator sees and does.
extension OutboxRecords {
  /// The deliveries that wait, those that are set aside first, then those that are due first.
  package func all(limit: Int, in connection: any SQLConnection) throws -> [OutboxListing] {
    try connection.rows(
      """
      SELECT id, kind, payload, attempts, due_at, failing_since, set_aside_at, error FROM outbox
      ORDER BY set_aside_at IS NULL, due_at, id LIMIT $1
      """, [.integer(limit)]
    ).map(OutboxListing.init)
  }

  /// Makes a delivery due now, as if it had never failed; false when there is none with this number.
  package func retry(_ id: Int64, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute("\(Self.retry) WHERE id = $2", [.date(transaction.now), .integer(id)]) > 0
  }

  /// Makes all deliveries that are set aside due now, as if they had never failed; returns how many there were.
  package func retrySetAside(in transaction: StoreTransaction) throws -> Int {
    try transaction.execute("\(Self.retry) WHERE set_aside_at IS NOT NULL", [.date(transaction.now)])
  }

  private static let retry = "UPDATE outbox SET attempts = 0, due_at = $1, failing_since = NULL, set_aside_at = NULL"

  /// How many deliveries wait, fail, and are set aside.
  ///
  /// - Parameter known: the kinds that this program delivers.
  func status(known: [String], in connection: any SQLConnection) throws -> OutboxStatus {
    let rows = try connection.rows(
      """
      SELECT kind, count(*) AS total, count(set_aside_at) AS aside,
        sum(CASE WHEN failing_since IS NOT NULL AND set_aside_at IS NULL THEN 1 ELSE 0 END) AS failing
      FROM outbox GROUP BY kind ORDER BY kind
      """)
    var status = OutboxStatus()
    for row in rows {
      let (kind, aside) = (try row.text("kind"), Int(try row.integer("aside")))
      status.waiting += Int(try row.integer("total")) - aside
      status.failing += Int(try row.integer("failing"))
      status.setAside += aside
      if !known.contains(kind) { status.unknownKinds.append(kind) }
    }
    return status
  }
}
