import Foundation
import OnsideCommerce

/// The methods that are kept for subscriptions. They stand with the payments that were made with them, and go on with
/// each renewal's payment.
extension PaymentRecords {
  /// Forgets a method.
  private static let forgotten = """
    kept_method = NULL, kept_brand = NULL, kept_last_four = NULL, kept_label = NULL, kept_expires = NULL
    """

  /// The method of a payment's row; of one from before its details were kept, only the provider's id.
  static func keptMethod(_ row: SQLRow) throws -> PaymentMethodDetails? {
    try row.optionalText("kept_method").map { reference in
      PaymentMethodDetails(
        reference: reference, brand: try row.optionalText("kept_brand") ?? "",
        lastFour: try row.optionalText("kept_last_four"), label: try row.optionalText("kept_label"),
        expires: try row.optionalText("kept_expires"))
    }
  }

  /// Notes a payment's method, with which the renewals of its subscription are charged, where the buyer has agreed.
  func keep(_ method: PaymentMethodDetails, of payment: String, in transaction: StoreTransaction) throws {
    try note(method, where: "id = $1 AND keeps = 1", payment, in: transaction)
  }

  /// Notes what is kept for a subscription with the payment of another one of its periods, at the same provider.
  func handOn(_ method: PaymentMethodDetails, to payment: String, in transaction: StoreTransaction) throws {
    try note(method, where: "id = $1", payment, in: transaction)
  }

  private func note(
    _ method: PaymentMethodDetails, where condition: String, _ payment: String, in transaction: StoreTransaction
  ) throws {
    try transaction.execute(
      """
      UPDATE payments SET kept_method = $2, kept_brand = $3, kept_last_four = $4, kept_label = $5, kept_expires = $6
      WHERE \(condition)
      """,
      [
        .text(payment), .text(method.reference), .text(method.brand), .text(method.lastFour), .text(method.label),
        .text(method.expires),
      ])
  }

  /// Takes over what a provider has told anew of a method, wherever it is kept; returns the accounts.
  func updateKept(
    _ method: PaymentMethodDetails, at provider: String, in transaction: StoreTransaction
  ) throws -> [String] {
    try transaction.execute(
      """
      UPDATE payments SET kept_brand = $3, kept_last_four = $4, kept_label = $5, kept_expires = $6
      WHERE provider = $1 AND kept_method = $2
      """,
      [
        .text(provider), .text(method.reference), .text(method.brand), .text(method.lastFour), .text(method.label),
        .text(method.expires),
      ])
    return try transaction.rows(
      """
      SELECT DISTINCT o.account_id FROM payments p JOIN orders o ON o.id = p.order_id
      WHERE p.provider = $1 AND p.kept_method = $2 ORDER BY o.account_id
      """, [.text(provider), .text(method.reference)]
    ).map { try $0.text("account_id") }
  }

  /// Forgets a method that its provider charges no more, wherever it is kept.
  func forgetKept(_ method: String, at provider: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE payments SET \(Self.forgotten) WHERE provider = $1 AND kept_method = $2",
      [.text(provider), .text(method)])
  }

  /// Forgets a method that an account has removed.
  func forgetKept(
    _ method: String, at provider: String, of account: String, in transaction: StoreTransaction
  ) throws {
    try transaction.execute(
      """
      UPDATE payments SET \(Self.forgotten) WHERE provider = $1 AND kept_method = $2
        AND order_id IN (SELECT id FROM orders WHERE account_id = $3)
      """, [.text(provider), .text(method), .text(account)])
  }

  /// The method that is kept for a subscription: the one that has paid its last period. One that has paid an earlier
  /// period is charged no more: its owner has chosen another one since, or removed that.
  func keptMethod(
    of key: SubscriptionKey, in connection: any SQLConnection
  ) throws -> (provider: String, details: PaymentMethodDetails)? {
    let row = try connection.row(
      """
      SELECT p.* FROM subscriptions s JOIN orders o ON o.id = s.last_order_id JOIN payments p ON p.id = o.payment_id
      WHERE s.account_id = $1 AND s.app_id = $2 AND s.group_id = $3 AND p.kept_method IS NOT NULL
      """, [.text(key.account), .text(key.app), .text(key.group)])
    guard let row, let details = try Self.keptMethod(row) else { return nil }
    return (try row.text("provider"), details)
  }

  /// Forgets the methods that are kept for subscriptions of an account, and returns them.
  func forgetKeptMethods(of account: String, in transaction: StoreTransaction) throws -> [MethodReference] {
    let orders = "SELECT id FROM orders WHERE account_id = $1"
    let kept = try keptMethods(ofOrders: orders, [.text(account)], in: transaction)
    try transaction.execute(
      "UPDATE payments SET \(Self.forgotten) WHERE kept_method IS NOT NULL AND order_id IN (\(orders))",
      [.text(account)])
    return kept
  }

  /// The methods that are kept with the payments of an order.
  func keptMethods(ofOrder id: UUID, in connection: any SQLConnection) throws -> [MethodReference] {
    try keptMethods(ofOrders: "$1", [.text(id.lowercase)], in: connection)
  }

  /// The methods that are kept with the payments of all periods of a subscription.
  func keptMethods(ofPeriodsOf key: SubscriptionKey, in connection: any SQLConnection) throws -> [MethodReference] {
    try keptMethods(
      ofOrders: "SELECT order_id FROM subscription_periods WHERE account_id = $1 AND app_id = $2 AND group_id = $3",
      [.text(key.account), .text(key.app), .text(key.group)], in: connection)
  }

  /// The methods that are kept with payments of orders of an account that wait for their money.
  func keptMethods(ofUnpaidOrdersOf account: String, in connection: any SQLConnection) throws -> [MethodReference] {
    try keptMethods(
      ofOrders: "SELECT id FROM orders WHERE account_id = $1 AND state IN ('open', 'processing')", [.text(account)],
      in: connection)
  }

  /// - Parameter orders: the ids, as SQL.
  private func keptMethods(
    ofOrders orders: String, _ arguments: [SQLValue], in connection: any SQLConnection
  ) throws -> [MethodReference] {
    try connection.rows(
      """
      SELECT DISTINCT provider, kept_method FROM payments WHERE kept_method IS NOT NULL AND order_id IN (\(orders))
      ORDER BY provider, kept_method
      """, arguments
    ).map { MethodReference(provider: try $0.text("provider"), id: try $0.text("kept_method")) }
  }
}
