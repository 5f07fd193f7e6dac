public import Foundation

/// A delivery that waits in the outbox, as the operator sees it: without its payload.
public struct OutboxListing: Sendable {
  /// The row's number.
  public let id: Int64
  /// The kind of the delivery, such as `payment.refund`.
  public let kind: String
  /// The order that it is about, where it is about one.
  public let order: String?
  /// How many tries have failed.
  public let attempts: Int
  /// When it is tried next, unless it is set aside.
  public let dueAt: Date
  /// When it failed first; nil when it has not.
  public let failingSince: Date?
  /// Since when it is tried no more; nil while it is.
  public let setAsideAt: Date?
  /// The type of the last error.
  public let error: String?

  /// The deliveries that wait, those that are set aside first, then those that are due first.
  public static func all(limit: Int, _ connection: any SQLConnection) throws -> [OutboxListing] {
    try connection.rows(
      """
      SELECT id, kind, payload, attempts, due_at, failing_since, set_aside_at, error FROM outbox
      ORDER BY set_aside_at IS NULL, due_at, id LIMIT $1
      """, [.integer(limit)]
    ).map(OutboxListing.init)
  }

  /// Makes deliveries due now, as if they had never failed: the one with this number, or all that are set aside.
  /// Returns how many there were.
  public static func retry(_ id: Int64?, in transaction: StoreTransaction) throws -> Int {
    try transaction.rows(
      """
      UPDATE outbox SET attempts = 0, due_at = $1, failing_since = NULL, set_aside_at = NULL
      WHERE \(id == nil ? "set_aside_at IS NOT NULL" : "id = $2") RETURNING id
      """, [.date(transaction.now)] + (id.map { [.integer($0)] } ?? [])
    ).count
  }

  private init(_ row: SQLRow) throws {
    id = try row.integer("id")
    kind = try row.text("kind")
    order = Subject.order(of: try row.text("payload"))
    attempts = Int(try row.integer("attempts"))
    dueAt = try row.date("due_at")
    failingSince = try row.optionalDate("failing_since")
    setAsideAt = try row.optionalDate("set_aside_at")
    error = try row.optionalText("error")
  }

  /// The order's id in a payload, under the key of the store or of its provider's events.
  private struct Subject: Decodable {
    let asked: String?
    let told: String?

    enum CodingKeys: String, CodingKey {
      case asked = "orderID"
      case told = "order_id"
    }

    static func order(of payload: String) -> String? {
      let subject = try? JSONDecoder().decode(Subject.self, from: Data(payload.utf8))
      return subject?.asked ?? subject?.told
    }
  }
}

/// How many deliveries wait, fail, and are given up.
public struct OutboxStatus: Sendable {
  /// All that wait, without those that are set aside.
  public var waiting = 0
  /// Those of them that have failed so far.
  public var failing = 0
  /// Those that have failed for a day and are tried no more.
  public var setAside = 0
  /// The kinds of rows that this program does not deliver: another version has written them.
  public var unknownKinds: [String] = []

  init(_ known: [String], _ connection: any SQLConnection) throws {
    let rows = try connection.rows(
      """
      SELECT kind, count(*) AS total, count(set_aside_at) AS aside,
        sum(CASE WHEN failing_since IS NOT NULL AND set_aside_at IS NULL THEN 1 ELSE 0 END) AS failing
      FROM outbox GROUP BY kind ORDER BY kind
      """)
    for row in rows {
      let (kind, aside) = (try row.text("kind"), Int(try row.integer("aside")))
      waiting += Int(try row.integer("total")) - aside
      failing += Int(try row.integer("failing"))
      setAside += aside
      if !known.contains(kind) { unknownKinds.append(kind) }
    }
  }
}

extension OutboxRecords {
  /// Seconds until the next try, by the number of tries so far; the last goes on until a row is set aside.
  private static let delays: [Double] = [1, 5, 30, 120, 600, 3600]
  /// A row is set aside when it has failed for so long, and so often: a store that was off has not tried.
  private static let patience: TimeInterval = 86_400
  private static let leastTries = 10

  enum Postponement: Sendable {
    case later, setAside
  }

  /// Writes down a failed try.
  func postpone(_ id: Int64, because error: String, in transaction: StoreTransaction) throws -> Postponement {
    let row = try transaction.row("SELECT kind, attempts, failing_since FROM outbox WHERE id = $1", [.integer(id)])
    guard let row else { return .later }
    let tries = Int(try row.integer("attempts"))
    let since = try row.optionalDate("failing_since") ?? transaction.now
    let isOver = tries + 1 >= Self.leastTries && transaction.now.timeIntervalSince(since) >= Self.patience
    // The buyer waits for a payment, and it ends ten minutes after it was requested: retry at least every minute.
    let isAwaited = [OutboxKind.start, OutboxKind.confirm].contains(try row.text("kind"))
    let delay = min(Self.delays[min(tries, Self.delays.count - 1)], isAwaited ? 60 : .infinity)
    try transaction.execute(
      """
      UPDATE outbox SET attempts = $2, due_at = $3, failing_since = $4, set_aside_at = $5, error = $6 WHERE id = $1
      """,
      [
        .integer(id), .integer(tries + 1), .date(transaction.now.addingTimeInterval(delay)), .date(since),
        .date(isOver ? now : nil), .text(error),
      ])
    return isOver ? .setAside : .later
  }
}

extension Migration {
  static let outbox = [
    Migration(
      125, "deliveries set aside",
      """
      ALTER TABLE outbox ADD COLUMN failing_since BIGINT;
      ALTER TABLE outbox ADD COLUMN set_aside_at BIGINT;
      ALTER TABLE outbox ADD COLUMN error TEXT;
      DROP INDEX outbox_by_due;
      CREATE INDEX outbox_by_kind ON outbox(kind, due_at) WHERE set_aside_at IS NULL;
      """)
  ]
}
