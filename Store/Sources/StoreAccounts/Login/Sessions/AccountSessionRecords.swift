import Foundation
package import OnsideAPI
package import StoreBase

/// The rows of an account's sessions, of apps and of browsers.
package enum AccountSessionRecords {
  /// All live sessions of an account.
  static func sessions(of account: AccountID, in transaction: StoreTransaction) throws -> [AccountSession] {
    let apps = try transaction.rows(
      """
      SELECT * FROM sessions WHERE account_id = $1 AND revoked_at IS NULL AND rotated_at > $2 AND created_at > $3
      AND created_at > \(StoreSecretRecords.lastLeak)
      """,
      [
        .text(account.description), .date(transaction.now - SessionRecords.idleLifetime),
        .date(transaction.now - SessionRecords.longestLifetime),
      ])
    let browsers = try transaction.rows(
      """
      SELECT * FROM web_sessions WHERE account_id = $1 AND expires_at > $2 AND created_at > $3
      AND COALESCE(begun_at, created_at) > \(StoreSecretRecords.lastLeak)
      """,
      [
        .text(account.description), .date(transaction.now),
        .date(transaction.now - WebSessionRecords.longestLifetime),
      ])
    return try apps.map(AccountSession.init(app:)) + browsers.map(AccountSession.init(browser:))
  }

  /// Ends the session of an app, if it is this account's and has not ended.
  static func end(app id: String, of account: AccountID, in transaction: StoreTransaction) throws {
    let count = try transaction.execute(
      "UPDATE sessions SET revoked_at = $3 WHERE id = $1 AND account_id = $2 AND revoked_at IS NULL",
      [.text(id), .text(account.description), .date(transaction.now)])
    if count > 0 { try RevisionRecords.raise(.revokedSessions, in: transaction) }
  }

  /// Ends the session of a browser, if it is this account's.
  static func end(browser id: String, of account: AccountID, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "DELETE FROM web_sessions WHERE id = $1 AND account_id = $2", [.text(id), .text(account.description)])
  }

  /// Ends all sessions but one browser's, and deletes the authorization codes that no app has exchanged yet.
  ///
  /// - Parameter browser: the token of the browser's session.
  package static func endAll(of account: AccountID, but browser: String?, in transaction: StoreTransaction) throws {
    let (id, kept) = (SQLValue.text(account.description), SQLValue.text(browser?.sha256Base64URL ?? ""))
    let count = try transaction.execute(
      "UPDATE sessions SET revoked_at = $2 WHERE account_id = $1 AND revoked_at IS NULL", [id, .date(transaction.now)])
    if count > 0 { try RevisionRecords.raise(.revokedSessions, in: transaction) }
    try transaction.execute("DELETE FROM web_sessions WHERE account_id = $1 AND id <> $2", [id, kept])
    try transaction.execute("DELETE FROM authorization_codes WHERE account_id = $1 AND session_id IS NULL", [id])
  }
}

extension AccountSession {
  fileprivate init(app row: SQLRow) throws {
    id = "app:" + (try row.text("id"))
    place = .app(id: try row.text("app_id"))
    device = try row.optionalText("device")
    since = try row.date("created_at")
    // An app in use refreshes its tokens regularly, so that the last refresh stands for the last use.
    usedAt = max(try row.date("rotated_at"), try row.optionalDate("confirmed_at") ?? .distantPast)
  }

  fileprivate init(browser row: SQLRow) throws {
    id = "browser:" + (try row.text("id"))
    place = .browser
    device = try row.optionalText("device")
    since = try row.date("created_at")
    usedAt = try row.optionalDate("used_at") ?? since
  }
}
