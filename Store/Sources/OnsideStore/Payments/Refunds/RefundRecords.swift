import Foundation
import OnsideCommerce

/// The table of refunds. Every call runs inside the caller's transaction.
enum RefundRecords {
  /// Writes a new refund; false when it is there already.
  static func insert(_ refund: Refund, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute(
      """
      INSERT INTO refunds(
        id, order_id, payment_id, amount, currency, is_surplus, reason, origin, state, reference, failure, asked_at,
        ended_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT(id) DO NOTHING
      """,
      [
        .text(refund.id), .text(refund.orderID.lowercase), .text(refund.paymentID),
        .integer(refund.amount.minorUnits), .text(refund.amount.currency.code), .integer(refund.isSurplus ? 1 : 0),
        .text(refund.reason.rawValue), .text(refund.origin.rawValue), .text(refund.state.rawValue),
        .text(refund.reference), .text(refund.failure), .date(refund.askedAt), .date(refund.endedAt),
      ]) > 0
  }

  /// Writes what became of a refund.
  static func update(_ refund: Refund, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE refunds SET state = $2, reference = coalesce($3, reference), failure = $4, ended_at = $5 WHERE id = $1",
      [
        .text(refund.id), .text(refund.state.rawValue), .text(refund.reference), .text(refund.failure),
        .date(refund.endedAt),
      ])
  }

  static func refund(_ id: String, in connection: any SQLConnection) throws -> Refund? {
    try connection.row("SELECT * FROM refunds WHERE id = $1", [.text(id)]).map(refund)
  }

  /// The refunds of an order, the oldest first.
  static func refunds(of order: UUID, in connection: any SQLConnection) throws -> [Refund] {
    try connection.rows(
      "SELECT * FROM refunds WHERE order_id = $1 ORDER BY asked_at, id", [.text(order.lowercase)]
    ).map(refund)
  }

  private static func refund(_ row: SQLRow) throws -> Refund {
    guard let order = UUID(text: try row.text("order_id")),
      let state = Refund.State(rawValue: try row.text("state"))
    else { throw StorageError.unexpectedValue(column: "refunds", expected: "a UUID and a state") }
    return Refund(
      id: try row.text("id"), orderID: order, paymentID: try row.optionalText("payment_id"),
      amount: Money(minorUnits: try row.integer("amount"), currency: try row.currency("currency")),
      isSurplus: try row.integer("is_surplus") != 0, reason: RevocationReason(rawValue: try row.text("reason")),
      origin: Refund.Origin(rawValue: try row.text("origin")), state: state,
      reference: try row.optionalText("reference"), failure: try row.optionalText("failure"),
      askedAt: try row.date("asked_at"), endedAt: try row.optionalDate("ended_at"))
  }
}

extension [Refund] {
  /// What goes back or went back of the price, in the currency's smallest unit.
  var total: Int64 {
    filter { !$0.isSurplus && $0.state != .failed }.reduce(0) { $0 + $1.amount.minorUnits }
  }
}

extension Migration {
  static let refunds = [
    Migration(
      226, name: "refunds, of a part or the whole",
      sql: """
        CREATE TABLE refunds(
          id TEXT PRIMARY KEY, order_id TEXT NOT NULL, payment_id TEXT, amount BIGINT NOT NULL, currency TEXT NOT NULL,
          is_surplus BIGINT NOT NULL, reason TEXT NOT NULL, origin TEXT NOT NULL, state TEXT NOT NULL, reference TEXT,
          failure TEXT, asked_at BIGINT NOT NULL, ended_at BIGINT) WITHOUT ROWID;
        CREATE INDEX refunds_by_order ON refunds(order_id);
        ALTER TABLE apps ADD COLUMN refund_rule TEXT NOT NULL DEFAULT 'whole';
        """,
      postgres: """
        CREATE TABLE refunds(
          id TEXT COLLATE "C" PRIMARY KEY, order_id TEXT COLLATE "C" NOT NULL, payment_id TEXT COLLATE "C",
          amount BIGINT NOT NULL, currency TEXT COLLATE "C" NOT NULL, is_surplus BIGINT NOT NULL,
          reason TEXT COLLATE "C" NOT NULL, origin TEXT COLLATE "C" NOT NULL, state TEXT COLLATE "C" NOT NULL,
          reference TEXT COLLATE "C", failure TEXT COLLATE "C", asked_at BIGINT NOT NULL, ended_at BIGINT);
        CREATE INDEX refunds_by_order ON refunds(order_id);
        ALTER TABLE apps ADD COLUMN refund_rule TEXT COLLATE "C" NOT NULL DEFAULT 'whole';
        """)
  ]
}
