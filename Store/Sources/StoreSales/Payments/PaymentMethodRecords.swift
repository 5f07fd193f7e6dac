import Foundation
import StoreBase
import StorePayments

/// The payment methods of accounts that a provider can charge again. Every call runs inside the caller's transaction.
enum PaymentMethodRecords {
  /// The account's own list: its saved methods, the newest first.
  static func saved(of account: String, in connection: any SQLConnection) throws -> [SavedPaymentMethod] {
    try all(of: account, in: connection).filter(\.isSaved)
  }

  /// All methods of an account, also those that only its subscriptions use, the newest first.
  static func all(of account: String, in connection: any SQLConnection) throws -> [SavedPaymentMethod] {
    try connection.rows(
      "SELECT * FROM payment_methods WHERE account_id = $1 ORDER BY created_at DESC, id DESC", [.text(account)]
    ).map(SavedPaymentMethod.init)
  }

  /// The method of an account by its id.
  static func method(
    _ id: String, of account: String, in connection: any SQLConnection
  ) throws -> SavedPaymentMethod? {
    try connection.row("SELECT * FROM payment_methods WHERE id = $1 AND account_id = $2", [.text(id), .text(account)])
      .map(SavedPaymentMethod.init)
  }

  /// The method of an account by its provider's id.
  static func method(
    _ reference: MethodReference, of account: String, in connection: any SQLConnection
  ) throws -> SavedPaymentMethod? {
    try all(of: account, in: connection).first { $0.reference == reference }
  }

  /// Records a method, which is in use from then on. A method that the account has already is recorded once, and
  /// becomes a saved one if asked.
  ///
  /// - Parameters:
  ///   - id: the id of a new row.
  ///   - isSaved: whether the account saves it for other purchases.
  /// - Returns: the id of its row, and whether the account's own list has grown.
  @discardableResult
  static func record(
    _ details: PaymentMethodDetails, of provider: String, id: String, for account: String, isSaved: Bool = true,
    in transaction: StoreTransaction
  ) throws -> (id: String, isNewlySaved: Bool) {
    let reference = MethodReference(provider: provider, details)
    if let known = try method(reference, of: account, in: transaction) {
      try setUnused(known.id, since: nil, in: transaction)
      guard isSaved, !known.isSaved else { return (known.id, false) }
      try transaction.execute(
        "UPDATE payment_methods SET is_saved = 1, created_at = $2 WHERE id = $1",
        [.text(known.id), .date(transaction.now)])
      return (known.id, true)
    }
    try PaymentMethodColumns(
      id: id, account: account, provider: provider, details: details, isSaved: isSaved, createdAt: transaction.now
    ).insert(in: transaction)
    return (id, isSaved)
  }

  /// Makes a saved method the newest, and so the first choice; false when it is not there.
  static func prefer(_ id: String, of account: String, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute(
      "UPDATE payment_methods SET created_at = $3 WHERE id = $1 AND account_id = $2 AND is_saved = 1",
      [.text(id), .text(account), .date(transaction.now)]) > 0
  }

  /// Records whether the newest payment with a saved method was declined.
  static func setDeclined(
    _ isDeclined: Bool, _ payment: Payment, of account: String, in transaction: StoreTransaction
  ) throws {
    // By id: with the reference in the condition SQLite searches `payment_methods_by_reference`, and all accounts of a
    // sandbox share the references of the test cards.
    guard payment.isSaved, let reference = payment.method,
      let saved = try method(MethodReference(provider: payment.provider, id: reference), of: account, in: transaction)
    else { return }
    try transaction.execute(
      "UPDATE payment_methods SET is_declined = $2 WHERE id = $1", [.text(saved.id), .bool(isDeclined)])
  }

  /// Deletes a method.
  static func delete(_ id: String, in transaction: StoreTransaction) throws {
    try transaction.execute("DELETE FROM payment_methods WHERE id = $1", [.text(id)])
  }

  /// Updates the details of a method, whose card its bank has replaced, for every account that has it; returns the ids
  /// of its rows.
  static func update(
    _ details: PaymentMethodDetails, of provider: String, in transaction: StoreTransaction
  ) throws -> [String] {
    try transaction.rows(
      """
      UPDATE payment_methods SET brand = $3, last_four = $4, label = $5, expires = $6, is_declined = 0
      WHERE provider = $1 AND reference = $2 RETURNING id
      """,
      [
        .text(provider), .text(details.reference), .text(details.brand), .text(details.lastFour), .text(details.label),
        .text(details.expires),
      ]
    ).map { try $0.text("id") }
  }

  /// Deletes a method that its provider has detached, for every account that has it; returns the ids of its rows.
  static func detach(
    _ reference: String, of provider: String, in transaction: StoreTransaction
  ) throws -> [String] {
    try transaction.rows(
      "DELETE FROM payment_methods WHERE provider = $1 AND reference = $2 RETURNING id",
      [.text(provider), .text(reference)]
    ).map { try $0.text("id") }
  }
}

/// The sweep of unused methods.
extension PaymentMethodRecords {
  /// The condition of an unused method: no account has saved it, no subscription uses it, and no payment under way is
  /// made with it.
  private static let isUnused = """
    payment_methods.is_saved = 0
      AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.method_id = payment_methods.id)
      AND NOT EXISTS (SELECT 1 FROM orders o JOIN payments p ON p.order_id = o.id
        WHERE o.account_id = payment_methods.account_id AND o.state IN ('open', 'processing')
          AND p.provider = payment_methods.provider AND p.method = payment_methods.reference)
    """

  /// The ids of unused methods without a mark, after an id in their order.
  static func unused(after last: String, limit: Int, in connection: any SQLConnection) throws -> [String] {
    try connection.rows(
      """
      SELECT id FROM payment_methods WHERE unused_since IS NULL AND id > $1 AND \(isUnused)
      ORDER BY id LIMIT \(limit)
      """, [.text(last)]
    ).map { try $0.text("id") }
  }

  /// The ids of methods that were marked as unused at a time or before, the oldest mark first.
  static func markedUnused(by time: Date, limit: Int, in connection: any SQLConnection) throws -> [String] {
    try connection.rows(
      """
      SELECT id FROM payment_methods WHERE is_saved = 0 AND unused_since <= $1
      ORDER BY unused_since, id LIMIT \(limit)
      """, [.date(time)]
    ).map { try $0.text("id") }
  }

  /// Marks a method as unused since a time; nil removes the mark.
  static func setUnused(_ id: String, since time: Date?, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE payment_methods SET unused_since = $2 WHERE id = $1", [.text(id), .date(time)])
  }

  /// Deletes a marked method if it is still unused, else removes its mark.
  ///
  /// - Returns: the method with its account; nil if it is in use.
  static func deleteUnused(
    _ id: String, in transaction: StoreTransaction
  ) throws -> (account: String, method: SavedPaymentMethod)? {
    let deleted = try transaction.row(
      "DELETE FROM payment_methods WHERE id = $1 AND unused_since IS NOT NULL AND \(isUnused) RETURNING *",
      [.text(id)])
    guard let deleted else {
      try setUnused(id, since: nil, in: transaction)
      return nil
    }
    return (try deleted.text("account_id"), try SavedPaymentMethod(deleted))
  }
}

extension SavedPaymentMethod {
  fileprivate init(_ row: SQLRow) throws {
    self.init(
      id: try row.text("id"), provider: try row.text("provider"),
      details: PaymentMethodDetails(
        reference: try row.text("reference"), brand: try row.text("brand"),
        lastFour: try row.optionalText("last_four"), label: try row.optionalText("label"),
        expires: try row.optionalText("expires")),
      createdAt: try row.date("created_at"), isSaved: try row.integer("is_saved") != 0,
      isDeclined: try row.bool("is_declined"))
  }
}

/// The columns of a new payment method.
private struct PaymentMethodColumns: TableRecord {
  static let table = "payment_methods"
  let id: String
  let account: String
  let provider: String
  let details: PaymentMethodDetails
  let isSaved: Bool
  let createdAt: Date

  var key: Columns { ["id": .text(id)] }

  var fixed: Columns {
    [
      "account_id": .text(account),
      "provider": .text(provider),
      "reference": .text(details.reference),
      "brand": .text(details.brand),
      "last_four": .text(details.lastFour),
      "label": .text(details.label),
      "expires": .text(details.expires),
      "is_saved": .bool(isSaved),
      "created_at": .date(createdAt),
    ]
  }
}
