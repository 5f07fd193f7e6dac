import Foundation
import OnsideAPI
import OnsideCommerce

/// The browsers in which accounts have logged in. Codes for an account's number that such a browser requests have
/// limits of their own, which strangers cannot use up.
enum RecognizedBrowsers {
  /// Seconds for which a login counts: the lifetime of the browser's cookie.
  static let lifetime: TimeInterval = 365 * 86_400
  /// Seconds from the first login until the browser is recognized, so that a flood cannot be prepared in a moment.
  static let age: TimeInterval = 86_400
  /// The most browsers of an account; the latest logins count.
  static let limit = 50

  /// Records a login, or a visit of a browser that is logged in.
  static func record(
    _ browser: String, of account: AccountID, language: Language, in transaction: StoreTransaction
  ) throws {
    let id = SQLValue.text(account.description)
    try transaction.execute(
      """
      INSERT INTO recognized_browsers(account_id, browser, since, used_at, language) VALUES ($1, $2, $3, $3, $4)
      ON CONFLICT(account_id, browser) DO UPDATE SET used_at = excluded.used_at, language = excluded.language
      """, [id, .text(browser), .date(transaction.now), .text(language.rawValue)])
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
      """
      SELECT CAST((
        SELECT count(*) FROM identities i JOIN recognized_browsers b ON b.account_id = i.account_id
        WHERE i.contact = $1 AND b.browser = $2 AND b.used_at > $3 AND b.since <= $4) AS BIGINT) AS logins
      """,
      [
        .text(contact.text), .text(browser), .date(transaction.now - lifetime), .date(transaction.now - age),
      ])
    return try row?.integer("logins") ?? 0 > 0
  }

  /// The language of an account's last login; nil without one.
  static func language(of account: AccountID, in connection: any SQLConnection) throws -> Language? {
    try connection.row(
      "SELECT language FROM recognized_browsers WHERE account_id = $1 ORDER BY used_at DESC, browser LIMIT 1",
      [.text(account.description)]
    ).flatMap { Language(rawValue: try $0.text("language")) }
  }

  /// Forgets the browsers of an account.
  static func forget(_ account: AccountID, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "DELETE FROM recognized_browsers WHERE account_id = $1", [.text(account.description)])
  }
}
