import Foundation
import OnsideAPI

/// Removal of an account and its personal data. Paid orders stay in the books, under a random id that belongs to no
/// account.
struct AccountRemoval: Sendable {
  let records: OrderRecords
  let random: any RandomSource

  /// The tables whose rows of the account are deleted.
  private static let cleared = [
    "web_sessions", "methods_sessions", "payment_methods", "sessions", "authorization_codes", "login_attempts",
  ]

  /// Removes an account; false when there is none, or it was removed before.
  func remove(_ id: AccountID, in transaction: StoreTransaction) throws -> Bool {
    guard let account = try AccountRecords.account(id: id, transaction), !account.isRemoved else { return false }
    let key = SQLValue.text(id.description)
    let open = try transaction.rows("SELECT id FROM orders WHERE account_id = $1 AND state = 'open'", [key])
    for row in open {
      guard let order = UUID(uuidString: try row.text("id")), var order = try records.order(order, transaction) else {
        continue
      }
      try records.cancel(&order, because: .user, in: transaction)
    }
    for table in Self.cleared { try transaction.execute("DELETE FROM \(table) WHERE account_id = $1", [key]) }
    // A receipt holds the app's account token of the person; the books do not.
    try transaction.execute(
      "DELETE FROM receipts WHERE order_id IN (SELECT id FROM orders WHERE account_id = $1)", [key])
    try transaction.execute(
      """
      UPDATE orders SET account_id = $2, app_account_token = NULL, language = NULL, held_by = NULL, held_at = NULL
      WHERE account_id = $1
      """,
      [key, .text(random.uuid7(at: transaction.now).uuidString.lowercased())])
    for proved in account.identities {
      try transaction.execute("DELETE FROM login_attempts WHERE phone = $1", [.text(proved.identity.text)])
    }
    try AccountRecords.remove(id: id, in: transaction)
    return true
  }
}
