package import Foundation
import OnsideCommerce
package import StoreBase

/// The table of refunds. Every call runs inside the caller's transaction.
package enum RefundRecords {
  /// Writes a new refund; false when it is there already.
  static func insert(_ refund: Refund, in transaction: StoreTransaction) throws -> Bool {
    guard try RefundColumns(refund: refund).insertIfAbsent(in: transaction) else { return false }
    try OrderEvents.note(refund.orderID, in: transaction)
    return true
  }

  /// Writes what became of a refund.
  static func update(_ refund: Refund, in transaction: StoreTransaction) throws {
    try RefundColumns(refund: refund).update(in: transaction)
    try OrderEvents.note(refund.orderID, in: transaction)
  }

  /// Writes what replaces a failed refund.
  static func replace(_ refund: Refund, by replacement: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE refunds SET replaced_by = $2 WHERE id = $1", [.text(refund.id), .text(replacement)])
  }

  /// Writes that a refund replaces failed ones of the same payment, the oldest first: their sum is at most its amount.
  static func replaceOwed(by refund: Refund, in transaction: StoreTransaction) throws {
    var left = refund.amount.minorUnits
    for owed in try refunds(of: refund.orderID, in: transaction)
    where owed.isUnreplaced && owed.paymentID == refund.paymentID && owed.isSurplus == refund.isSurplus
      && owed.amount.minorUnits <= left
    {
      try replace(owed, by: refund.id, in: transaction)
      left -= owed.amount.minorUnits
    }
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

  /// Returns the owed refunds of one order or of all, those of one payment together. Payments whose money a dispute
  /// holds are excluded (`Dispute.holdsRefunds`).
  package static func owed(of order: UUID? = nil, in connection: any SQLConnection) throws -> [OwedRefund] {
    let rows = try connection.rows(
      """
      SELECT r.*, p.amount AS paid FROM refunds r JOIN payments p ON p.id = r.payment_id
      WHERE r.order_id IN (
          SELECT order_id FROM refunds WHERE state = 'failed' AND origin <> 'bank' AND replaced_by IS NULL)
        AND ($1 = '' OR r.order_id = $1)
        AND NOT EXISTS (
          SELECT 1 FROM disputes d WHERE d.order_id = r.order_id AND d.payment_id = r.payment_id
            AND d.is_withdrawn = 1 AND d.state <> 'lost')
      ORDER BY r.asked_at, r.id
      """, [.text(order?.lowercase ?? "")]
    ).map { (refund: try refund($0), paid: try $0.integer("paid")) }
    var seen: Set<String> = []
    return rows.flatMap { row -> [OwedRefund] in
      guard let payment = row.refund.paymentID, seen.insert(payment).inserted else { return [] }
      return rows.map(\.refund).owed(of: payment, paid: row.paid)
    }
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
      askedAt: try row.date("asked_at"), endedAt: try row.optionalDate("ended_at"),
      replacedBy: try row.optionalText("replaced_by"))
  }
}

/// The columns of a refund.
private struct RefundColumns: TableRecord {
  static let table = "refunds"
  /// The provider's id stays when a report lacks it.
  static let expressions = ["reference": "coalesce($, reference)"]

  let refund: Refund

  var key: Columns { ["id": .text(refund.id)] }

  var fixed: Columns {
    [
      "order_id": .text(refund.orderID.lowercase),
      "payment_id": .text(refund.paymentID),
      "amount": .integer(refund.amount.minorUnits),
      "currency": .text(refund.amount.currency.code),
      "is_surplus": .bool(refund.isSurplus),
      "reason": .text(refund.reason.rawValue),
      "origin": .text(refund.origin.rawValue),
      "asked_at": .date(refund.askedAt),
    ]
  }

  var mutable: Columns {
    [
      "state": .text(refund.state.rawValue),
      "reference": .text(refund.reference),
      "failure": .text(refund.failure),
      "ended_at": .date(refund.endedAt),
    ]
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
        """),
    // A refund of the same amount that was requested after the failure was the operator's replacement; one that failed,
    // too, is owed in its place.
    Migration(
      326, name: "refunds that are owed",
      sql: "ALTER TABLE refunds ADD COLUMN replaced_by TEXT;" + replacements,
      postgres: #"ALTER TABLE refunds ADD COLUMN replaced_by TEXT COLLATE "C";"# + replacements),
  ]

  private static let replacements = """
    CREATE INDEX refunds_owed ON refunds(asked_at)
      WHERE state = 'failed' AND origin <> 'bank' AND replaced_by IS NULL;
    UPDATE refunds SET replaced_by = (
      SELECT min(n.id) FROM refunds n WHERE n.order_id = refunds.order_id AND n.payment_id = refunds.payment_id
        AND n.is_surplus = refunds.is_surplus AND n.amount = refunds.amount AND n.origin <> 'bank'
        AND n.id <> refunds.id AND n.asked_at >= refunds.ended_at)
      WHERE state = 'failed' AND origin <> 'bank';
    """
}
