import Foundation
import OnsideCommerce
import StoreAccounts
import StoreBase

/// The table of disputes. Every call runs inside the caller's transaction.
enum DisputeRecords {
  /// Writes a new dispute; false when it is there already.
  static func insert(_ dispute: Dispute, in transaction: StoreTransaction) throws -> Bool {
    guard try DisputeColumns(dispute: dispute).insertIfAbsent(in: transaction) else { return false }
    try OrderEvents.note(dispute.orderID, in: transaction)
    return true
  }

  /// Writes what became of a dispute.
  static func update(_ dispute: Dispute, in transaction: StoreTransaction) throws {
    try DisputeColumns(dispute: dispute).update(in: transaction)
    try OrderEvents.note(dispute.orderID, in: transaction)
  }

  /// A dispute by its id.
  static func dispute(_ id: String, in connection: any SQLConnection) throws -> Dispute? {
    try connection.row("SELECT * FROM disputes WHERE id = $1", [.text(id)]).map(dispute)
  }

  /// The disputes of an order, the oldest first.
  static func disputes(of order: UUID, in connection: any SQLConnection) throws -> [Dispute] {
    try connection.rows(
      "SELECT * FROM disputes WHERE order_id = $1 ORDER BY opened_at, id", [.text(order.lowercase)]
    ).map(dispute)
  }

  /// A dispute for which a bank has the money of a payment, so that a refund would pay a second time.
  static func holding(_ payment: String, of order: UUID, in connection: any SQLConnection) throws -> Dispute? {
    try disputes(of: order, in: connection).first { $0.holdsRefunds && $0.paymentID == payment }
  }

  /// The open dispute that holds the renewals of a subscription back; nil without one. None does for more than 120
  /// days: banks decide earlier, and the report of the end was lost.
  static func holdingRenewals(of key: SubscriptionKey, in transaction: StoreTransaction) throws -> Dispute? {
    try open(of: key, since: transaction.now.addingTimeInterval(-120 * 86_400), in: transaction)
  }

  /// The dispute that a bank has not decided yet, of a payment of a subscription; nil without one.
  static func open(
    of key: SubscriptionKey, since start: Date = Date(timeIntervalSince1970: 0), in connection: any SQLConnection
  ) throws -> Dispute? {
    try connection.row(
      """
      SELECT d.* FROM subscription_periods p JOIN disputes d ON d.order_id = p.order_id
      WHERE p.account_id = $1 AND p.app_id = $2 AND p.group_id = $3 AND d.state = $4 AND d.opened_at > $5
      ORDER BY d.opened_at LIMIT 1
      """,
      [.text(key.account), .text(key.app), .text(key.group), .text(Dispute.State.open.rawValue), .date(start)]
    ).map(dispute)
  }

  /// Open disputes whose evidence is due between two times, the earliest first.
  static func due(from start: Date, to end: Date, in connection: any SQLConnection) throws -> [Dispute] {
    try connection.rows(
      "SELECT * FROM disputes WHERE state = 'open' AND answer_by >= $1 AND answer_by < $2 ORDER BY answer_by, id",
      [.date(start), .date(end)]
    ).map(dispute)
  }

  /// The newest disputes, of one state or of all.
  static func newest(_ limit: Int, state: Dispute.State?, in connection: any SQLConnection) throws -> [Dispute] {
    let condition = state == nil ? "1 = 1" : "state = $2"
    return try connection.rows(
      "SELECT * FROM disputes WHERE \(condition) ORDER BY opened_at DESC, id DESC LIMIT $1",
      [.integer(limit)] + (state.map { [.text($0.rawValue)] } ?? [])
    ).map(dispute)
  }

  private static func dispute(_ row: SQLRow) throws -> Dispute {
    guard let order = UUID(text: try row.text("order_id")),
      let state = Dispute.State(rawValue: try row.text("state"))
    else { throw StorageError.unexpectedValue(column: "disputes", expected: "a UUID and a state") }
    return Dispute(
      id: try row.text("id"), orderID: order, paymentID: try row.text("payment_id"),
      amount: Money(minorUnits: try row.integer("amount"), currency: try row.currency("currency")),
      reason: try row.text("reason"), state: state, isWithdrawn: try row.integer("is_withdrawn") != 0,
      openedAt: try row.date("opened_at"), answerBy: try row.optionalDate("answer_by"),
      closedAt: try row.optionalDate("closed_at"))
  }
}

/// The columns of a dispute.
private struct DisputeColumns: TableRecord {
  static let table = "disputes"
  let dispute: Dispute

  var key: Columns { ["id": .text(dispute.id)] }

  var fixed: Columns {
    [
      "order_id": .text(dispute.orderID.lowercase),
      "payment_id": .text(dispute.paymentID),
      "currency": .text(dispute.amount.currency.code),
      "opened_at": .date(dispute.openedAt),
    ]
  }

  var mutable: Columns {
    [
      "amount": .integer(dispute.amount.minorUnits),
      "reason": .text(dispute.reason),
      "state": .text(dispute.state.rawValue),
      "is_withdrawn": .bool(dispute.isWithdrawn),
      "answer_by": .date(dispute.answerBy),
      "closed_at": .date(dispute.closedAt),
    ]
  }
}

extension Migration {
  static let disputes = [
    Migration(
      229, name: "disputes",
      sql: """
        CREATE TABLE disputes(
          id TEXT PRIMARY KEY, order_id TEXT NOT NULL, payment_id TEXT NOT NULL, amount BIGINT NOT NULL,
          currency TEXT NOT NULL, reason TEXT NOT NULL, state TEXT NOT NULL, is_withdrawn BIGINT NOT NULL,
          opened_at BIGINT NOT NULL, answer_by BIGINT, closed_at BIGINT) WITHOUT ROWID;
        CREATE INDEX disputes_by_order ON disputes(order_id);
        ALTER TABLE apps ADD COLUMN dispute_rule TEXT NOT NULL DEFAULT 'lost';
        ALTER TABLE apps ADD COLUMN fraud_rule TEXT NOT NULL DEFAULT 'keep';
        """,
      postgres: """
        CREATE TABLE disputes(
          id TEXT COLLATE "C" PRIMARY KEY, order_id TEXT COLLATE "C" NOT NULL, payment_id TEXT COLLATE "C" NOT NULL,
          amount BIGINT NOT NULL, currency TEXT COLLATE "C" NOT NULL, reason TEXT COLLATE "C" NOT NULL,
          state TEXT COLLATE "C" NOT NULL, is_withdrawn BIGINT NOT NULL, opened_at BIGINT NOT NULL, answer_by BIGINT,
          closed_at BIGINT);
        CREATE INDEX disputes_by_order ON disputes(order_id);
        ALTER TABLE apps ADD COLUMN dispute_rule TEXT COLLATE "C" NOT NULL DEFAULT 'lost';
        ALTER TABLE apps ADD COLUMN fraud_rule TEXT COLLATE "C" NOT NULL DEFAULT 'keep';
        """),
    Migration(
      327, name: "open disputes by the time of their evidence",
      sql: "CREATE INDEX disputes_open ON disputes(answer_by) WHERE state = 'open';"),
  ]
}
