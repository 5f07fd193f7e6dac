import Foundation
import OnsideAPI

/// Somewhere where an account is logged in: an app on a device, or a browser.
struct AccountSession: Sendable, Hashable {
  enum Place: Sendable, Hashable {
    case app(id: String)
    case browser
  }

  /// Names it in the form that ends it; nobody can log in with it.
  let id: String
  let place: Place
  /// What its browser said of itself; nil when that was nothing.
  let device: String?
  let since: Date
  let usedAt: Date
}

/// Lists and ends what is logged in to an account.
struct AccountSessions: Sendable {
  let database: any Database
  let clock: any StoreClock
  let changes: ChangeHub
  let ended: EndedSessions

  init(core: StoreCore) {
    database = core.dependencies.database
    clock = core.dependencies.clock
    changes = core.changes
    ended = core.endedSessions
  }

  /// Everything that is logged in, what was used last first.
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

  /// Ends one; nothing happens when it is not this account's, or over.
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

  /// Ends all but one browser's, and codes that no app has exchanged yet.
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

  /// Access tokens of what ended are refused from now on, and whoever waits learns of it.
  private func tell(_ account: AccountID) async throws {
    try await ended.reload()
    changes.wake(account: account.description)
  }
}

extension AccountSession {
  fileprivate init(app row: SQLRow) throws {
    id = "app:" + (try row.text("id"))
    place = .app(id: try row.text("app_id"))
    device = try row.optionalText("device")
    since = try row.date("created_at")
    // Apps refresh while they are used.
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
  /// How ``AccountSession`` names this browser.
  var listedID: String { "browser:" + token.sha256 }
}
