import Foundation

/// The table of the short-lived addresses of the page of payment methods.
enum MethodsSessionRecords {
  static let lifetime: TimeInterval = 15 * 60

  static func insert(_ token: String, for customer: Customer, in transaction: StoreTransaction) throws {
    try transaction.deleteSome(from: "methods_sessions", where: "expires_at < $1", [.date(transaction.now)])
    try transaction.execute(
      "INSERT INTO methods_sessions(id, account_id, app_id, expires_at) VALUES ($1, $2, $3, $4)",
      [.text(token.sha256Base64URL), .text(customer.account), .text(customer.app), .date(transaction.now + lifetime)])
  }

  /// The customer that a token was made for; nil when its time is over.
  static func session(_ token: String, in transaction: StoreTransaction) throws -> Customer? {
    let row = try transaction.row(
      "SELECT account_id, app_id FROM methods_sessions WHERE id = $1 AND expires_at > $2",
      [.text(token.sha256Base64URL), .date(transaction.now)])
    return try row.map { Customer(account: try $0.text("account_id"), app: try $0.text("app_id")) }
  }
}
