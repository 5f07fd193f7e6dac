import Foundation
import OnsideCommerce
import StoreBase

/// The table of payouts. Every call runs inside the caller's transaction.
enum PayoutRecords {
  /// A balance that can be paid out.
  struct Balance: Sendable, Hashable {
    let app: String
    let amount: Money
  }

  /// What may be paid to each app in each currency: all that was booked, also later, for orders that were sold before a
  /// time, less earlier payouts. Only amounts above zero.
  static func balances(soldBefore time: Date, in connection: any SQLConnection) throws -> [Balance] {
    let sold = "JOIN ledger s ON s.order_id = l.order_id AND s.kind = 'sale' AND s.created_at < $1"
    return try connection.rows(
      """
      SELECT account, currency, CAST(sum(amount) AS BIGINT) AS amount FROM (
        SELECT l.credit AS account, l.currency, l.amount FROM ledger l \(sold) WHERE l.credit LIKE 'app:%'
        UNION ALL SELECT l.debit, l.currency, -l.amount FROM ledger l \(sold) WHERE l.debit LIKE 'app:%'
        UNION ALL SELECT 'app:' || app_id, currency, -amount FROM payouts WHERE state <> 'failed') AS movements
      GROUP BY account, currency HAVING sum(amount) > 0 ORDER BY account, currency
      """, [.date(time)]
    ).map { row in
      Balance(
        app: String(try row.text("account").dropFirst("app:".count)),
        amount: Money(minorUnits: try row.integer("amount"), currency: try row.currency("currency")))
    }
  }

  static func insert(_ payout: Payout, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "INSERT INTO payouts(id, app_id, amount, currency, state, made_at) VALUES ($1, $2, $3, $4, $5, $6)",
      [
        .text(payout.id), .text(payout.app), .integer(payout.amount.minorUnits), .text(payout.amount.currency.code),
        .text(payout.state.rawValue), .date(payout.madeAt),
      ])
  }

  static func payout(_ id: String, in connection: any SQLConnection) throws -> Payout? {
    try connection.row("SELECT * FROM payouts WHERE id = $1", [.text(id)]).map(payout)
  }

  /// The newest payouts, of one app or of all.
  static func newest(_ limit: Int, app: String?, in connection: any SQLConnection) throws -> [Payout] {
    let condition = app == nil ? "1 = 1" : "app_id = $2"
    return try connection.rows(
      "SELECT * FROM payouts WHERE \(condition) ORDER BY made_at DESC, id DESC LIMIT $1",
      [.integer(limit)] + (app.map { [.text($0)] } ?? [])
    ).map(payout)
  }

  static func setSent(_ id: String, reference: String?, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE payouts SET state = 'sent', sent_at = $2, reference = $3 WHERE id = $1",
      [.text(id), .date(transaction.now), .text(reference)])
  }

  static func setSettled(_ id: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE payouts SET state = 'settled', settled_at = $2 WHERE id = $1", [.text(id), .date(transaction.now)])
  }

  static func setFailed(_ id: String, in transaction: StoreTransaction) throws {
    try transaction.execute("UPDATE payouts SET state = 'failed' WHERE id = $1", [.text(id)])
  }

  private static func payout(_ row: SQLRow) throws -> Payout {
    guard let state = Payout.State(rawValue: try row.text("state")) else {
      throw StorageError.unexpectedValue(column: "state", expected: "made, sent, settled or failed")
    }
    return Payout(
      id: try row.text("id"), app: try row.text("app_id"),
      amount: Money(minorUnits: try row.integer("amount"), currency: try row.currency("currency")), state: state,
      madeAt: try row.date("made_at"), sentAt: try row.optionalDate("sent_at"),
      settledAt: try row.optionalDate("settled_at"), reference: try row.optionalText("reference"))
  }
}
