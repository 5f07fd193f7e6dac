import Foundation
import OnsideAPI
package import StoreBase

/// The table of browser sessions on the store's own pages. The cookie holds a random token, the table only its hash.
package enum WebSessionRecords {
  /// The idle timeout, in seconds.
  static let lifetime: TimeInterval = 30 * 86400
  /// The absolute lifetime, in seconds from the proof of the identity.
  static let longestLifetime: TimeInterval = 180 * 86400

  /// Begins a session and deletes the browser's earlier one.
  ///
  /// - Parameter provedAt: when the person proved their identity. The session's rights depend on it: it is written with
  ///   the session and never changed.
  static func insert(
    _ token: String, account: AccountID, provedAt: Date, browser: LoginBrowser, in transaction: StoreTransaction
  ) throws {
    try transaction.deleteSome(from: "web_sessions", where: "expires_at < $1", [.date(transaction.now)])
    try transaction.execute(
      "INSERT INTO web_sessions(id, account_id, created_at, begun_at, expires_at, device) VALUES ($1, $2, $3, $4, $5, $6)",
      [
        .text(token.sha256Base64URL), .text(account.description), .date(min(provedAt, transaction.now)),
        .date(transaction.now), .date(transaction.now + lifetime), .text(browser.device),
      ])
    if let earlier = browser.session { try delete(earlier, in: transaction) }
  }

  /// The session of a cookie; nil when it has ended.
  static func session(_ token: String, in transaction: StoreTransaction) throws -> WebSession? {
    let row = try transaction.row(
      """
      SELECT account_id, created_at, used_at FROM web_sessions
      WHERE id = $1 AND expires_at > $2 AND created_at > $3
      AND COALESCE(begun_at, created_at) > \(StoreSecretRecords.lastLeak)
      """, [.text(token.sha256Base64URL), .date(transaction.now), .date(transaction.now - longestLifetime)])
    guard let row, let id = AccountID(try row.text("account_id")),
      let account = try AccountRecords.account(id: id, in: transaction), !account.isRemoved
    else { return nil }
    let created = try row.date("created_at")
    return WebSession(
      token: token, account: account, createdAt: created, usedAt: try row.optionalDate("used_at") ?? created)
  }

  /// Records a use of the session, which extends its lifetime; false when it has ended.
  static func touch(_ token: String, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute(
      "UPDATE web_sessions SET used_at = $2, expires_at = $3 WHERE id = $1",
      [.text(token.sha256Base64URL), .date(transaction.now), .date(transaction.now + lifetime)]) == 1
  }

  package static func delete(_ token: String, in transaction: StoreTransaction) throws {
    try transaction.execute("DELETE FROM web_sessions WHERE id = $1", [.text(token.sha256Base64URL)])
  }
}
