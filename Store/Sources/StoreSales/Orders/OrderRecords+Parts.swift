import Foundation
import OnsideCommerce
import StoreAccounts
package import StoreBase

/// Parts of orders that are read and written without the whole order.
extension OrderRecords {
  /// The open orders that were made until a time, the oldest first. The payments of subscriptions' next periods have no
  /// such limit.
  func openOrders(madeBefore time: Date, limit: Int, in connection: any SQLConnection) throws -> [UUID] {
    try connection.rows(
      """
      SELECT id FROM orders WHERE state = 'open' AND created_at <= $1 AND reason <> 'RENEWAL'
      ORDER BY created_at LIMIT \(limit)
      """, [.date(time)]
    ).map { try $0.uuid("id") }
  }

  /// The open orders of accounts that are ahead of the store, made before a time by their accounts' time.
  ///
  /// SQLite takes the tables of a `CROSS JOIN` in their order: few accounts are ahead.
  ///
  /// - Parameter time: in the store's time.
  func openOrdersAhead(madeBefore time: Date, limit: Int, in connection: any SQLConnection) throws -> [UUID] {
    try connection.rows(
      """
      SELECT orders.id FROM accounts CROSS JOIN orders
      WHERE accounts.ahead_ms > 0 AND accounts.removed_at IS NULL AND orders.account_id = accounts.id
        AND orders.state = 'open'
        AND orders.reason <> 'RENEWAL' AND orders.created_at <= $1 + accounts.ahead_ms
      ORDER BY orders.created_at LIMIT \(limit)
      """, [.date(time)]
    ).map { try $0.uuid("id") }
  }

  /// The open orders of an account.
  func openOrders(of account: String, in connection: any SQLConnection) throws -> [UUID] {
    try connection.rows("SELECT id FROM orders WHERE account_id = $1 AND state = 'open'", [.text(account)])
      .map { try $0.uuid("id") }
  }

  /// The state of an order of a customer; nil when there is none.
  func state(of id: UUID, for customer: Customer, in connection: any SQLConnection) throws -> OrderState? {
    let row = try connection.row(
      """
      SELECT state, finished_at, revoked_at, revocation_reason, owes_refund FROM orders
      WHERE id = $1 AND account_id = $2 AND app_id = $3
      """, [.text(id.lowercase), .text(customer.account), .text(customer.app)])
    return try row.map { try OrderRow(row: $0).state() }
  }

  /// Marks an order as finished, as its account's newest change.
  func setFinished(_ id: UUID, of account: String, in transaction: StoreTransaction) throws {
    let change = try AccountChangeRecords.next(of: account, in: transaction)
    try transaction.execute(
      "UPDATE orders SET finished_at = $2, changed = $3 WHERE id = $1",
      [.text(id.lowercase), .date(transaction.now), .integer(change)])
    metrics.orderFinished(in: transaction)
  }

  /// The ids of the subscriptions that a customer has paid since a time, as they were when they were ordered.
  static func paidSubscriptions(
    of customer: Customer, since start: Date, in connection: any SQLConnection
  ) throws -> [Int64] {
    try connection.rows(
      """
      SELECT DISTINCT ordered_product FROM orders
      WHERE account_id = $1 AND app_id = $2 AND state = 'paid' AND duplicate_of IS NULL AND expires_at IS NOT NULL
        AND paid_at >= $3
      """, [.text(customer.account), .text(customer.app), .date(start)]
    ).map { try $0.integer("ordered_product") }
  }

  /// Whether no order was ever made.
  package static func isEmpty(in connection: any SQLConnection) throws -> Bool {
    try connection.row("SELECT id FROM orders LIMIT 1") == nil
  }

  /// Whether an account has never made an order.
  static func isEmpty(of account: String, in connection: any SQLConnection) throws -> Bool {
    try connection.row("SELECT id FROM orders WHERE account_id = $1 LIMIT 1", [.text(account)]) == nil
  }
}
