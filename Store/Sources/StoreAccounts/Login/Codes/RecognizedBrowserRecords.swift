import Foundation
package import OnsideAPI
import OnsideCommerce
package import StoreBase
import StoreWeb

/// The table of recognized browsers: an account is recognized in a browser from a day after its first login there until
/// a year after its last visit, or until its logout. Codes that a recognized browser requests are limited separately.
package enum RecognizedBrowserRecords {
  /// Seconds for which a login counts: the lifetime of the browser's cookie.
  static let lifetime: TimeInterval = 365 * 86_400
  /// Seconds from the first login until the browser is recognized, so that an attacker cannot make them during a flood.
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
    let spellings = Identity.contact(contact).spellings
    let places = (0..<spellings.count).map { "$\($0 + 4)" }.joined(separator: ", ")
    let row = try transaction.row(
      """
      SELECT CAST((
        SELECT count(*) FROM identities i JOIN recognized_browsers b ON b.account_id = i.account_id
        WHERE i.contact IN (\(places)) AND b.browser = $1 AND b.used_at > $2 AND b.since <= $3) AS BIGINT) AS logins
      """,
      [.text(browser), .date(transaction.now - lifetime), .date(transaction.now - age)] + spellings.map { .text($0) })
    return try row?.integer("logins") ?? 0 > 0
  }

  /// The language of the browser that has been recognized longest, which is the owner's more likely than that of the
  /// last login; nil without one.
  static func language(of account: AccountID, in connection: any SQLConnection) throws -> Language? {
    try connection.row(
      "SELECT language FROM recognized_browsers WHERE account_id = $1 ORDER BY since, browser LIMIT 1",
      [.text(account.description)]
    ).flatMap { Language(rawValue: try $0.text("language")) }
  }

  /// Forgets a browser of an account, after a logout: the next person at a shared browser learns nothing from its
  /// limits.
  package static func forget(_ browser: String, of account: AccountID, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "DELETE FROM recognized_browsers WHERE account_id = $1 AND browser = $2",
      [.text(account.description), .text(browser)])
  }

  /// Forgets the browsers of an account but one.
  static func forget(_ account: AccountID, but browser: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "DELETE FROM recognized_browsers WHERE account_id = $1 AND browser <> $2",
      [.text(account.description), .text(browser)])
  }
}
