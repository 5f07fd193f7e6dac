import Foundation
import StoreAccounts
import StoreBase

/// The table of buyers' requests for refunds. Every call runs inside the caller's transaction.
enum BuyerRefundRequestRecords {
  /// Writes a request, or the new reason and note of one that waits; false when it is decided already.
  static func ask(
    for order: UUID, reason: BuyerRefundRequest.Reason, note: BuyerRefundNote, in transaction: StoreTransaction
  ) throws -> Bool {
    try transaction.execute(
      """
      INSERT INTO refund_requests(order_id, reason, note, state, asked_at) VALUES ($1, $2, $3, 'waiting', $4)
      ON CONFLICT(order_id) DO UPDATE SET reason = excluded.reason, note = excluded.note
      WHERE refund_requests.state = 'waiting'
      """,
      [.text(order.lowercase), .text(reason.rawValue), .text(note.text), .date(transaction.now)]) > 0
  }

  /// Decides a request that waits; false when none does.
  @discardableResult
  static func decide(
    _ order: UUID, as state: BuyerRefundRequest.State, in transaction: StoreTransaction
  ) throws -> Bool {
    try transaction.execute(
      "UPDATE refund_requests SET state = $2, decided_at = $3 WHERE order_id = $1 AND state = 'waiting'",
      [.text(order.lowercase), .text(state.rawValue), .date(transaction.now)]) > 0
  }

  /// Makes an approved request wait again, because its refund has failed.
  static func reopen(_ order: UUID, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE refund_requests SET state = 'waiting', decided_at = NULL WHERE order_id = $1 AND state = 'granted'",
      [.text(order.lowercase)])
  }

  /// The request of an order; nil when there is none.
  static func request(of order: UUID, in connection: any SQLConnection) throws -> BuyerRefundRequest? {
    try connection.row("SELECT * FROM refund_requests WHERE order_id = $1", [.text(order.lowercase)]).map(request)
  }

  /// The requests of an account's orders.
  static func requests(of account: String, in connection: any SQLConnection) throws -> [BuyerRefundRequest] {
    try connection.rows("SELECT * FROM refund_requests WHERE \(AccountTable.isOrder)", [.text(account)]).map(request)
  }

  /// The newest requests, of one state or of all.
  static func newest(
    _ limit: Int, state: BuyerRefundRequest.State?, in connection: any SQLConnection
  ) throws -> [BuyerRefundRequest] {
    let condition = state == nil ? "1 = 1" : "state = $2"
    return try connection.rows(
      "SELECT * FROM refund_requests WHERE \(condition) ORDER BY asked_at DESC, order_id DESC LIMIT $1",
      [.integer(limit)] + (state.map { [.text($0.rawValue)] } ?? [])
    ).map(request)
  }

  private static func request(_ row: SQLRow) throws -> BuyerRefundRequest {
    guard let order = UUID(text: try row.text("order_id")),
      let reason = BuyerRefundRequest.Reason(rawValue: try row.text("reason")),
      let state = BuyerRefundRequest.State(rawValue: try row.text("state"))
    else { throw StorageError.unexpectedValue(column: "refund_requests", expected: "a UUID, a reason and a state") }
    return BuyerRefundRequest(
      orderID: order, reason: reason, note: try row.text("note"), state: state, askedAt: try row.date("asked_at"),
      decidedAt: try row.optionalDate("decided_at"))
  }
}

extension Migration {
  static let refundRequests = [
    Migration(
      230, name: "buyers' requests for refunds",
      sql: """
        CREATE TABLE refund_requests(
          order_id TEXT PRIMARY KEY, reason TEXT NOT NULL, note TEXT NOT NULL, state TEXT NOT NULL,
          asked_at BIGINT NOT NULL, decided_at BIGINT) WITHOUT ROWID;
        """,
      postgres: """
        CREATE TABLE refund_requests(
          order_id TEXT COLLATE "C" PRIMARY KEY, reason TEXT COLLATE "C" NOT NULL, note TEXT COLLATE "C" NOT NULL,
          state TEXT COLLATE "C" NOT NULL, asked_at BIGINT NOT NULL, decided_at BIGINT);
        """)
  ]
}
