import Foundation
import OnsideAPI

/// A login session of an account: of an app on a device, or of a browser.
struct AccountSession: Sendable, Hashable {
  enum Place: Sendable, Hashable {
    case app(id: String)
    case browser
  }

  /// Identifies the session in the form that ends it. It is no secret: no request logs in with it.
  let id: String
  let place: Place
  /// The device's description, from the browser's request headers; nil when they named none.
  let device: String?
  let since: Date
  let usedAt: Date
}

/// Lists and ends the sessions of an account.
struct AccountSessions: Sendable {
  let database: any Database
  let clock: any StoreClock
  let changes: ChangeHub
  let revokedSessions: RevokedSessions

  init(core: StoreCore) {
    database = core.dependencies.database
    clock = core.dependencies.clock
    changes = core.changes
    revokedSessions = core.revokedSessions
  }

  /// All live sessions of an account, the last used first.
  func all(of account: AccountID) async throws -> [AccountSession] {
    let now = clock.now()
    return try await database.read { connection in
      let apps = try connection.rows(
        "SELECT * FROM sessions WHERE account_id = $1 AND revoked_at IS NULL AND rotated_at > $2",
        [.text(account.description), .date(now - SessionRecords.idleLifetime)])
      let browsers = try connection.rows(
        "SELECT * FROM web_sessions WHERE account_id = $1 AND expires_at > $2",
        [.text(account.description), .date(now)])
      return try (apps.map(AccountSession.init(app:)) + browsers.map(AccountSession.init(browser:)))
        .sorted { $0.usedAt > $1.usedAt }
    }
  }

  /// Ends a session; nothing happens when it is not this account's, or has ended.
  func end(_ id: String, of account: AccountID) async throws {
    let (parts, now) = (id.split(separator: ":", maxSplits: 1), clock.now())
    guard parts.count == 2 else { return }
    let arguments: [SQLValue] = [.text(String(parts[1])), .text(account.description)]
    try await database.write { connection in
      switch parts[0] {
      case "app":
        try connection.execute(
          "UPDATE sessions SET revoked_at = $3 WHERE id = $1 AND account_id = $2 AND revoked_at IS NULL",
          arguments + [.date(now)])
      case "browser":
        try connection.execute("DELETE FROM web_sessions WHERE id = $1 AND account_id = $2", arguments)
      default: break
      }
    }
    try await tell(account)
  }

  /// Ends all sessions but one browser's, and deletes the authorization codes that no app has exchanged yet.
  func endAll(of account: AccountID, but browser: WebSession) async throws {
    let (id, kept, now) = (SQLValue.text(account.description), SQLValue.text(browser.token.sha256), clock.now())
    try await database.write { connection in
      try connection.execute(
        "UPDATE sessions SET revoked_at = $2 WHERE account_id = $1 AND revoked_at IS NULL", [id, .date(now)])
      try connection.execute("DELETE FROM web_sessions WHERE account_id = $1 AND id <> $2", [id, kept])
      try connection.execute("DELETE FROM authorization_codes WHERE account_id = $1 AND session_id IS NULL", [id])
    }
    try await tell(account)
  }

  /// Reloads the list of ended sessions, so that their access tokens are refused, and wakes the account's waiting
  /// polls.
  private func tell(_ account: AccountID) async throws {
    try await revokedSessions.reload()
    changes.wake(account: account.description)
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

extension WebSession {
  /// The ``AccountSession/id`` of this browser's session.
  var listedID: String { "browser:" + token.sha256 }
}
