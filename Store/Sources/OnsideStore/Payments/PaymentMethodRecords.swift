import Foundation

/// The saved payment methods of accounts. Every call runs inside the caller's transaction.
enum PaymentMethodRecords {
  /// The most methods of one account.
  static let limit = 20

  /// The methods of an account, the newest first.
  static func methods(of account: String, in connection: any SQLConnection) throws -> [SavedPaymentMethod] {
    try connection.rows(
      "SELECT * FROM payment_methods WHERE account_id = $1 ORDER BY created_at DESC, id DESC", [.text(account)]
    ).map { row in
      SavedPaymentMethod(
        id: try row.text("id"), provider: try row.text("provider"),
        details: PaymentMethodDetails(
          reference: try row.text("reference"), brand: try row.text("brand"),
          lastFour: try row.optionalText("last_four"), label: try row.optionalText("label"),
          expires: try row.optionalText("expires")), createdAt: try row.date("created_at"))
    }
  }

  /// Saves a method, unless the account has the same one or too many; returns whether it is new.
  @discardableResult
  static func save(
    _ details: PaymentMethodDetails, of provider: String, id: String, for account: String,
    in transaction: StoreTransaction
  ) throws -> Bool {
    let known = try methods(of: account, in: transaction)
    let reference = MethodReference(provider: provider, details)
    let isKnown = known.contains { $0.reference == reference }
    guard known.count < limit, !isKnown else { return false }
    return try transaction.execute(
      """
      INSERT INTO payment_methods(id, account_id, provider, reference, brand, last_four, label, expires, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT(id) DO NOTHING
      """,
      [
        .text(id), .text(account), .text(provider), .text(details.reference), .text(details.brand),
        .text(details.lastFour), .text(details.label), .text(details.expires), .date(transaction.now),
      ]) > 0
  }

  /// Makes a method the newest, and so the first choice; false when it is not there.
  static func prefer(_ id: String, of account: String, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute(
      "UPDATE payment_methods SET created_at = $3 WHERE id = $1 AND account_id = $2",
      [.text(id), .text(account), .date(transaction.now)]) > 0
  }

  /// Removes a method of an account; nil when it is not there.
  static func remove(_ id: String, of account: String, in transaction: StoreTransaction) throws -> SavedPaymentMethod? {
    guard let method = try methods(of: account, in: transaction).first(where: { $0.id == id }) else { return nil }
    try transaction.execute(
      "DELETE FROM payment_methods WHERE id = $1 AND account_id = $2", [.text(id), .text(account)])
    return method
  }

  /// Takes over what a provider has told anew of a method, for every account that has it; returns the accounts.
  static func update(
    _ details: PaymentMethodDetails, of provider: String, in transaction: StoreTransaction
  ) throws -> [String] {
    try transaction.rows(
      """
      UPDATE payment_methods SET brand = $3, last_four = $4, label = $5, expires = $6
      WHERE provider = $1 AND reference = $2 RETURNING account_id
      """,
      [
        .text(provider), .text(details.reference), .text(details.brand), .text(details.lastFour), .text(details.label),
        .text(details.expires),
      ]
    ).map { try $0.text("account_id") }
  }

  /// Removes a method that its provider charges no more, for every account that has it.
  static func detach(_ reference: String, of provider: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "DELETE FROM payment_methods WHERE provider = $1 AND reference = $2", [.text(provider), .text(reference)])
  }
}
