import Foundation
import StoreAccounts
import StoreBase

/// The table of merchants' customers, and reads of orders by customer.
enum CustomerRecords {
  private static let isPurchase = "state = 'paid' AND duplicate_of IS NULL AND paid_at IS NOT NULL"

  /// The customer of an app with a subject; nil before the first event of the customer. That of a removed account has
  /// the id of its detached orders.
  static func customer(subject: String, of app: String, in connection: any SQLConnection) throws -> Customer? {
    let row = try connection.row(
      "SELECT account_id FROM merchant_customers WHERE app_id = $1 AND subject = $2", [.text(app), .text(subject)])
    return try row.map { Customer(account: try $0.text("account_id"), app: app) }
  }

  /// Writes the epoch of a customer's newest event with the whole state.
  static func save(_ customer: Customer, epoch: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      """
      INSERT INTO merchant_customers(app_id, subject, account_id, epoch) VALUES ($1, $2, $3, $4)
      ON CONFLICT(app_id, subject) DO UPDATE SET epoch = excluded.epoch
      WHERE merchant_customers.epoch <> excluded.epoch
      """,
      [.text(customer.app), .text(customer.subject), .text(customer.account), .text(epoch)])
  }

  /// Customers with purchases, in the order of accounts and apps, without an event in an epoch.
  ///
  /// - Parameter last: the customer after which the search begins; nil for the first search.
  static func withoutEvent(
    in epoch: String, after last: Customer?, limit: Int, connection: any SQLConnection
  ) throws -> [Customer] {
    try connection.rows(
      """
      SELECT DISTINCT o.account_id, o.app_id FROM orders o
      WHERE o.state = 'paid' AND o.duplicate_of IS NULL AND (o.account_id, o.app_id) > ($1, $2)
        AND EXISTS (SELECT 1 FROM accounts a WHERE a.id = o.account_id AND a.removed_at IS NULL)
        AND NOT EXISTS (
          SELECT 1 FROM merchant_customers c
          WHERE c.account_id = o.account_id AND c.app_id = o.app_id AND c.epoch = $3)
      ORDER BY o.account_id, o.app_id LIMIT $4
      """,
      [.text(last?.account ?? ""), .text(last?.app ?? ""), .text(epoch), .integer(limit)]
    ).map { Customer(account: try $0.text("account_id"), app: try $0.text("app_id")) }
  }

  /// True if a customer has an event with the whole state in an epoch.
  static func hasEvent(_ customer: Customer, in epoch: String, connection: any SQLConnection) throws -> Bool {
    try connection.row(
      "SELECT 1 AS one FROM merchant_customers WHERE account_id = $1 AND app_id = $2 AND epoch = $3",
      [.text(customer.account), .text(customer.app), .text(epoch)]) != nil
  }

  /// The customers of an account: one for each app with a purchase.
  static func customers(of account: String, in connection: any SQLConnection) throws -> [Customer] {
    try connection.rows(
      "SELECT DISTINCT app_id FROM orders WHERE account_id = $1 AND \(isPurchase) ORDER BY app_id", [.text(account)]
    ).map { Customer(account: account, app: try $0.text("app_id")) }
  }

  /// The customers of an app that have a purchase with the app's token, in the order of their accounts.
  static func customers(
    appAccountToken token: String, of app: String, limit: Int, in connection: any SQLConnection
  ) throws -> [Customer] {
    try connection.rows(
      """
      SELECT DISTINCT account_id FROM orders WHERE app_id = $1 AND app_account_token = $2 AND \(isPurchase)
      ORDER BY account_id LIMIT $3
      """,
      [.text(app), .text(token), .integer(limit)]
    ).map { Customer(account: try $0.text("account_id"), app: app) }
  }

  /// The app's token of a customer's newest purchase with a token; nil without one.
  static func appAccountToken(of customer: Customer, in connection: any SQLConnection) throws -> String? {
    try connection.row(
      """
      SELECT app_account_token FROM orders
      WHERE account_id = $1 AND app_id = $2 AND \(isPurchase) AND app_account_token IS NOT NULL
      ORDER BY paid_at DESC, id DESC LIMIT 1
      """,
      [.text(customer.account), .text(customer.app)]
    )?.text("app_account_token")
  }

  /// The ids of a customer's newest purchases, the newest first.
  static func newestOrders(
    of customer: Customer, limit: Int, in connection: any SQLConnection
  ) throws -> [UUID] {
    try connection.rows(
      """
      SELECT id FROM orders WHERE account_id = $1 AND app_id = $2 AND \(isPurchase)
      ORDER BY paid_at DESC, id DESC LIMIT $3
      """,
      [.text(customer.account), .text(customer.app), .integer(limit)]
    ).map { try $0.uuid("id") }
  }
}
