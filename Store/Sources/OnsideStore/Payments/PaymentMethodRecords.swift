import Foundation

/// The saved payment methods of accounts. Every call runs inside the caller's transaction.
enum PaymentMethodRecords {
  /// The most methods of one account.
  static let limit = 20

  static func methods(of account: String, in connection: any SQLConnection) throws -> [SavedPaymentMethod] {
    let sql = "SELECT id, card, created_at FROM payment_methods WHERE account_id = $1 ORDER BY created_at DESC, id DESC"
    return try connection.rows(sql, [.text(account)]).compactMap { row in
      guard let card = SandboxCard(rawValue: try row.text("card")) else { return nil }
      return SavedPaymentMethod(id: try row.text("id"), card: card, createdAt: try row.date("created_at"))
    }
  }

  /// Saves a method, unless the account has the same one or too many.
  static func save(_ card: SandboxCard, id: UUID, of account: String, in transaction: StoreTransaction) throws {
    let known = try methods(of: account, in: transaction)
    guard known.count < limit, !known.contains(where: { $0.card == card }) else { return }
    try transaction.execute(
      "INSERT INTO payment_methods(id, account_id, card, created_at) VALUES ($1, $2, $3, $4)",
      [.text(id.lowercase), .text(account), .text(card.rawValue), .date(transaction.now)])
  }

  /// Makes a method the newest, and so the first choice; false when it is not there.
  static func prefer(_ id: String, of account: String, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute(
      "UPDATE payment_methods SET created_at = $3 WHERE id = $1 AND account_id = $2",
      [.text(id), .text(account), .date(transaction.now)]) > 0
  }

  /// Removes a method of an account; false when it is not there.
  static func remove(_ id: String, of account: String, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute(
      "DELETE FROM payment_methods WHERE id = $1 AND account_id = $2", [.text(id), .text(account)]) > 0
  }
}
