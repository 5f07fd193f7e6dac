import Foundation
import OnsideAPI

/// The browsers in which accounts have logged in with a code. Codes for an account's number that such a browser asks
/// for have limits of their own, which strangers cannot use up.
enum RecognizedBrowsers {
  /// Seconds for which a login counts: the lifetime of the browser's cookie.
  static let lifetime: TimeInterval = 365 * 86_400
  /// The most browsers of an account; the latest logins count.
  static let limit = 50

  /// Records a login.
  static func record(_ browser: String, of account: AccountID, in transaction: StoreTransaction) throws {
    let id = SQLValue.text(account.description)
    try transaction.execute(
      """
      INSERT INTO recognized_browsers(account_id, browser, used_at) VALUES ($1, $2, $3)
      ON CONFLICT(account_id, browser) DO UPDATE SET used_at = excluded.used_at
      """, [id, .text(browser), .date(transaction.now)])
    try transaction.execute(
      """
      DELETE FROM recognized_browsers WHERE account_id = $1 AND browser NOT IN (
        SELECT browser FROM recognized_browsers WHERE account_id = $1 ORDER BY used_at DESC, browser LIMIT \(limit))
      """, [id])
  }

  /// True if the account of a number or address has logged in with this browser. The query is the same for every
  /// number, so that its time reveals no account.
  static func contains(_ browser: String, for contact: Contact, in transaction: StoreTransaction) throws -> Bool {
    let row = try transaction.row(
      "SELECT CAST((\(logins(contact: 1, browser: 2, since: 3))) AS BIGINT) AS logins",
      [.text(contact.text), .text(browser), .date(transaction.now - lifetime)])
    return try row?.integer("logins") ?? 0 > 0
  }

  /// A query for the logins of a contact's account in a browser; the arguments are the numbers of its parameters.
  static func logins(contact: Int, browser: Int, since: Int) -> String {
    """
    SELECT count(*) FROM identities i JOIN recognized_browsers b ON b.account_id = i.account_id
    WHERE i.contact = $\(contact) AND b.browser = $\(browser) AND b.used_at > $\(since)
    """
  }
}
