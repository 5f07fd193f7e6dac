import Foundation
import StoreBase
import StoreSales

/// How many rows wait or are stuck, and since when the oldest does. A query reads the rows of an index, of orders those
/// of a partial one.
enum GaugeRecords {
  /// Rows of one sort.
  struct Waiting: Sendable, Hashable {
    var count = 0
    var oldest: Date?
  }

  /// The deliveries of one kind.
  struct Deliveries: Sendable, Hashable {
    /// Those that are due, by the time at which they became due.
    var due = Waiting()
    /// Those that have failed and are tried again, by their first failure.
    var failing = Waiting()
    /// All of them.
    var waiting = 0
  }

  /// Where an order may get stuck.
  enum OrderState: String, CaseIterable, Sendable {
    /// Not paid, and not given up. The unpaid periods of subscriptions may wait for weeks, and are not among them.
    case open
    /// The payment provider has not told the payment's outcome.
    case processing
    /// Money has come too late, and its refund is not confirmed.
    case owingRefund = "owing_refund"
    /// Paid, and no app has said that it has delivered it.
    case unfinished

    fileprivate var condition: String {
      switch self {
      case .open: "state = 'open' AND reason <> 'RENEWAL'"
      case .processing: "state = 'processing'"
      case .owingRefund: "owes_refund = 1"
      case .unfinished: "state = 'paid' AND finished_at IS NULL AND revoked_at IS NULL"
      }
    }

    fileprivate var time: String { self == .unfinished ? "paid_at" : "created_at" }
  }

  /// The deliveries of the outbox, by kind.
  static func deliveries(in transaction: StoreTransaction) throws -> [String: Deliveries] {
    var deliveries: [String: Deliveries] = [:]
    for row in try transaction.rows(
      "SELECT kind, count(*) AS total FROM outbox GROUP BY kind")
    {
      deliveries[try row.text("kind"), default: Deliveries()].waiting = Int(try row.integer("total"))
    }
    for row in try transaction.rows(
      """
      SELECT kind, count(*) AS total, min(due_at) AS oldest FROM outbox
      WHERE due_at <= $1 GROUP BY kind
      """, [.date(transaction.now)])
    {
      deliveries[try row.text("kind"), default: Deliveries()].due = try waiting(row)
    }
    for row in try transaction.rows(
      """
      SELECT kind, count(*) AS total, min(failing_since) AS oldest FROM outbox
      WHERE failing_since IS NOT NULL GROUP BY kind
      """)
    {
      deliveries[try row.text("kind"), default: Deliveries()].failing = try waiting(row)
    }
    return deliveries
  }

  /// The messages that have not gone out and may still be tried, to phones and to mailboxes.
  static func messages(in transaction: StoreTransaction) throws -> (phones: Waiting, mailboxes: Waiting) {
    let rows = try transaction.rows(
      """
      SELECT CASE WHEN phone LIKE '%@%' THEN 1 ELSE 0 END AS is_mailbox, count(*) AS total, min(sent_at) AS oldest
      FROM one_time_codes
      WHERE delivered_at IS NULL AND expires_at > $1 AND next_delivery_at < expires_at GROUP BY 1
      """, [.date(transaction.now)])
    let byKind = try Dictionary(uniqueKeysWithValues: rows.map { (try $0.bool("is_mailbox"), try waiting($0)) })
    return (byKind[false] ?? Waiting(), byKind[true] ?? Waiting())
  }

  /// The orders of a state: how many have been in it since a time or longer, and since when the oldest of all has.
  static func orders(
    _ state: OrderState, since limit: Date, in transaction: StoreTransaction
  ) throws -> Waiting {
    let stuck = try transaction.row(
      "SELECT count(*) AS total FROM orders WHERE \(state.condition) AND \(state.time) <= $1", [.date(limit)])
    let oldest = try transaction.row("SELECT min(\(state.time)) AS oldest FROM orders WHERE \(state.condition)")
    return Waiting(count: Int(try stuck?.integer("total") ?? 0), oldest: try oldest?.optionalDate("oldest"))
  }

  /// The failed refunds that are owed, since the oldest failure.
  static func owedRefunds(in transaction: StoreTransaction) throws -> Waiting {
    let owed = try RefundRecords.owed(in: transaction)
    return Waiting(count: owed.count, oldest: owed.compactMap(\.refund.endedAt).min())
  }

  /// The receipts that wait for their number, by the time of their sale.
  static func receipts(in transaction: StoreTransaction) throws -> Waiting {
    try transaction.row("SELECT count(*) AS total, min(sold_at) AS oldest FROM receipt_numbers WHERE number IS NULL")
      .map(waiting) ?? Waiting()
  }

  /// The events that wait for their number, by the time of their commit.
  static func events(in transaction: StoreTransaction) throws -> Waiting {
    try transaction.row("SELECT count(*) AS total, min(created_at) AS oldest FROM merchant_events WHERE number IS NULL")
      .map(waiting) ?? Waiting()
  }

  /// The endpoints of webhooks that the store has disabled, and those that have failed for a day.
  static func webhooks(in transaction: StoreTransaction) throws -> (disabled: Int, failing: Int) {
    let disabled = try transaction.row(
      "SELECT count(*) AS total FROM webhook_endpoints WHERE disabled_at <= $1 AND disabled_reason <> 'operator'",
      [.date(transaction.now)])
    let failing = try transaction.row(
      "SELECT count(*) AS total FROM webhook_endpoints WHERE failing_since <= $1 AND disabled_at IS NULL",
      [.date(transaction.now - 86_400)])
    return (Int(try disabled?.integer("total") ?? 0), Int(try failing?.integer("total") ?? 0))
  }

  private static func waiting(_ row: SQLRow) throws -> Waiting {
    Waiting(count: Int(try row.integer("total")), oldest: try row.optionalDate("oldest"))
  }
}
