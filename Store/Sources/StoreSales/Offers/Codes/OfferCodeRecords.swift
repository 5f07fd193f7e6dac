import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// The tables of offer codes. Every call runs inside the caller's transaction.
enum OfferCodeRecords {
  static func insert(_ batch: OfferCodeBatch, in transaction: StoreTransaction) throws {
    try transaction.execute(
      """
      INSERT INTO offer_code_batches(id, app_id, product_id, offer_id, is_custom, created_at, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      """,
      [
        .text(batch.id), .text(batch.appID), .text(batch.productID), .text(batch.offerID), .bool(batch.isCustom),
        .date(batch.createdAt), .date(batch.expiresAt),
      ])
  }

  /// Inserts a code with a number of uses. Returns false for a known text.
  static func insert(
    code: String, limit: Int64, of batch: String, in transaction: StoreTransaction
  ) throws -> Bool {
    try transaction.execute(
      """
      INSERT INTO offer_codes(code, batch_id, max_uses, uses) VALUES ($1, $2, $3, 0) ON CONFLICT(code) DO NOTHING
      """, [.text(code), .text(batch), .integer(limit)]) == 1
  }

  static func batch(_ id: String, in connection: any SQLConnection) throws -> OfferCodeBatch? {
    try connection.row("SELECT * FROM offer_code_batches WHERE id = $1", [.text(id)]).map(OfferCodeBatch.init)
  }

  /// Returns the batches of an app, the newest first.
  static func batches(of app: String, in connection: any SQLConnection) throws -> [OfferCodeBatch] {
    try connection.rows(
      "SELECT * FROM offer_code_batches WHERE app_id = $1 ORDER BY created_at DESC, id", [.text(app)]
    ).map(OfferCodeBatch.init)
  }

  /// Returns the number of codes of a batch, of their uses in all, and of their past uses.
  static func totals(
    of batch: String, in connection: any SQLConnection
  ) throws -> (codes: Int64, limit: Int64, uses: Int64) {
    let row = try connection.row(
      """
      SELECT count(*) AS codes, CAST(coalesce(sum(max_uses), 0) AS BIGINT) AS all_uses,
        CAST(coalesce(sum(uses), 0) AS BIGINT) AS used FROM offer_codes WHERE batch_id = $1
      """, [.text(batch)])
    guard let row else { return (0, 0, 0) }
    return (try row.integer("codes"), try row.integer("all_uses"), try row.integer("used"))
  }

  static func codes(of batch: String, in connection: any SQLConnection) throws -> [OfferCode] {
    try connection.rows("SELECT * FROM offer_codes WHERE batch_id = $1 ORDER BY code", [.text(batch)])
      .map(OfferCode.init)
  }

  static func code(_ text: String, in connection: any SQLConnection) throws -> OfferCode? {
    try connection.row("SELECT * FROM offer_codes WHERE code = $1", [.text(text)]).map(OfferCode.init)
  }

  /// Ends a batch. Returns false for an ended or unknown batch.
  static func disable(_ batch: String, of app: String, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute(
      "UPDATE offer_code_batches SET disabled_at = $3 WHERE id = $1 AND app_id = $2 AND disabled_at IS NULL",
      [.text(batch), .text(app), .date(transaction.now)]) == 1
  }

  /// Reserves one use of a code for an order. Returns false without one. The condition is part of the statement that
  /// counts, so that concurrent requests cannot exceed the limit.
  static func take(
    _ code: OfferCode, for order: Order, in transaction: StoreTransaction
  ) throws -> Bool {
    let taken = try transaction.execute(
      "UPDATE offer_codes SET uses = uses + 1 WHERE code = $1 AND uses < max_uses", [.text(code.text)])
    guard taken == 1 else { return false }
    try transaction.execute(
      "INSERT INTO offer_code_uses(order_id, batch_id, code, account_id, used_at) VALUES ($1, $2, $3, $4, $5)",
      [
        .text(order.id.lowercase), .text(code.batchID), .text(code.text), .text(order.accountID),
        .date(transaction.now),
      ])
    return true
  }

  /// Releases the use of a code that an order has reserved, because the order will not be paid with its offer. Does
  /// nothing for an order without a code.
  static func release(of order: Order, in transaction: StoreTransaction) throws {
    guard order.offer?.kind == .code else { return }
    let id = SQLValue.text(order.id.lowercase)
    try transaction.execute(
      """
      UPDATE offer_codes SET uses = uses - 1
      WHERE uses > 0 AND code = (SELECT code FROM offer_code_uses WHERE order_id = $1)
      """, [id])
    try transaction.execute("DELETE FROM offer_code_uses WHERE order_id = $1", [id])
  }

  /// Releases the codes that orders with a pending payment have reserved, because the account is being removed and a
  /// payment that succeeds later is refunded.
  static func releaseUnpaid(of account: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      """
      UPDATE offer_codes SET uses = uses - 1 WHERE uses > 0 AND code IN (
        SELECT u.code FROM offer_code_uses u JOIN orders o ON o.id = u.order_id
        WHERE u.account_id = $1 AND o.state = 'processing')
      """, [.text(account)])
  }

  /// Returns the order with which an account has used a code of a batch.
  static func order(
    of account: String, batch: String, in connection: any SQLConnection
  ) throws -> UUID? {
    try connection.row(
      "SELECT order_id FROM offer_code_uses WHERE account_id = $1 AND batch_id = $2", [.text(account), .text(batch)]
    ).map { try $0.uuid("order_id") }
  }
}

extension OfferCodeBatch {
  init(_ row: SQLRow) throws {
    self.init(
      id: try row.text("id"), appID: try row.text("app_id"), productID: try row.text("product_id"),
      offerID: try row.text("offer_id"), isCustom: try row.bool("is_custom"), createdAt: try row.date("created_at"),
      expiresAt: try row.optionalDate("expires_at"), disabledAt: try row.optionalDate("disabled_at"))
  }
}

extension OfferCode {
  init(_ row: SQLRow) throws {
    self.init(
      text: try row.text("code"), batchID: try row.text("batch_id"), limit: try row.integer("max_uses"),
      uses: try row.integer("uses"))
  }
}
