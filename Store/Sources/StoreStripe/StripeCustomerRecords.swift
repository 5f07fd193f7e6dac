package import StoreAccounts
import StoreBase

/// The table of the customers at Stripe. Every call runs inside the caller's transaction.
package enum StripeCustomerRecords {
  /// The customers as a part of an account's export.
  package static let export = AccountTable(
    name: "stripe_customers", table: "stripe_customers", condition: "account_id = $1")

  /// The customer of an account; nil before its first payment.
  static func customer(of account: String, in connection: any SQLConnection) throws -> String? {
    try connection.row("SELECT customer FROM stripe_customers WHERE account_id = $1", [.text(account)])
      .map { try $0.text("customer") }
  }

  /// Writes the customer of an account, unless it has one.
  static func insert(_ customer: String, of account: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      """
      INSERT INTO stripe_customers(account_id, customer, created_at) VALUES ($1, $2, $3)
      ON CONFLICT(account_id) DO NOTHING
      """, [.text(account), .text(customer), .date(transaction.now)])
  }

  /// Deletes a customer, unless the account has another one.
  static func delete(_ customer: String, of account: String, in connection: any SQLConnection) throws {
    try connection.execute(
      "DELETE FROM stripe_customers WHERE account_id = $1 AND customer = $2", [.text(account), .text(customer)])
  }
}
