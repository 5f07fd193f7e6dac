import OnsideAPI
import StoreAccounts
import StoreBase

/// The rows of a removed account in all tables but its own.
enum AccountRemovalRecords {
  /// The tables whose rows of the account are deleted.
  private static let cleared = [
    "web_sessions", "methods_sessions", "payment_methods", "sessions", "authorization_codes", "login_attempts",
    "stripe_customers", "subscriptions", "subscription_consents", "subscription_periods", "subscription_prices",
    "offer_code_uses", "subscription_messages", "recognized_browsers", "idempotency_answers",
  ]

  /// Deletes an account's personal data. Its orders, events and audit rows get an id that belongs to no account.
  static func clear(_ account: Account, ordersTo other: String, in transaction: StoreTransaction) throws {
    let key = SQLValue.text(account.id.description)
    for table in cleared { try transaction.execute("DELETE FROM \(table) WHERE account_id = $1", [key]) }
    // A receipt holds the app's account token of the person, a request for a refund the person's own words; the books
    // have neither. A finish names the device.
    for table in ["receipts", "refund_requests", "order_finishes"] {
      try transaction.execute("DELETE FROM \(table) WHERE \(AccountTable.isOrder)", [key])
    }
    // Their buyer has no address any more, and a mail server's answer may name it.
    try transaction.execute(
      "UPDATE receipt_numbers SET mail_failure = NULL, mail_failed_at = NULL WHERE \(AccountTable.isOrder)", [key])
    // Before the orders lose the app's tokens, which the events contain. Later events have the customer's subject.
    try MerchantEventRecords.detach(from: account.id.description, to: other, in: transaction)
    try transaction.execute("UPDATE merchant_customers SET account_id = $2 WHERE account_id = $1", [key, .text(other)])
    try transaction.execute(
      """
      UPDATE orders SET account_id = $2, app_account_token = NULL, language = NULL, held_by = NULL, held_at = NULL
      WHERE account_id = $1
      """,
      [key, .text(other)])
    try transaction.execute("UPDATE audit SET subject = $2 WHERE subject = $1", [key, .text(other)])
    // Errors of acts on other subjects name the account, too.
    try transaction.execute(
      "UPDATE audit SET error = replace(error, $1, $2) WHERE error LIKE $3",
      [key, .text(other), .text("%\(account.id)%")])
    try OfferCodeTryRecords.forget(account: account.id.description, in: transaction)
    for proved in account.identities {
      let (stored, canonical) = (proved.identity.text, PhoneNumber.canonical(of: proved.identity.text))
      try transaction.execute("DELETE FROM login_attempts WHERE phone IN ($1, $2)", [.text(stored), .text(canonical)])
      try CodeFailures.delete(canonical, in: transaction)
    }
  }
}
