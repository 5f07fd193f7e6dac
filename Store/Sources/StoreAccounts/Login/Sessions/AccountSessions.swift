import Foundation
package import OnsideAPI
package import StoreBase

/// Lists and ends the sessions of an account.
package struct AccountSessions: Sendable {
  let database: any Database
  let clock: any StoreClock
  let changes: ChangeHub
  let revokedSessions: RevokedSessions

  package init(_ dependencies: BaseDependencies, changes: ChangeHub, revokedSessions: RevokedSessions) {
    database = dependencies.database
    clock = dependencies.clock
    self.changes = changes
    self.revokedSessions = revokedSessions
  }

  /// All live sessions of an account, the last used first.
  package func all(of account: AccountID) async throws -> [AccountSession] {
    try await database.read(at: clock.now()) { try AccountSessionRecords.sessions(of: account, in: $0) }
      .sorted { $0.usedAt > $1.usedAt }
  }

  /// Ends a session; nothing happens when it is not this account's, or has ended.
  package func end(_ id: String, of account: AccountID) async throws {
    let parts = id.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return }
    try await database.write(at: clock.now()) { transaction in
      switch parts[0] {
      case "app": try AccountSessionRecords.end(app: parts[1], of: account, in: transaction)
      case "browser": try AccountSessionRecords.end(browser: parts[1], of: account, in: transaction)
      default: break
      }
    }
    try await apply(account)
  }

  /// Ends all sessions but one browser's, deletes the authorization codes that no app has exchanged yet, and forgets
  /// the other recognized browsers.
  ///
  /// - Parameter browserHash: the hash of the browser's cookie.
  package func endAll(of account: AccountID, but session: WebSession, browserHash: String) async throws {
    try await database.write(at: clock.now()) { transaction in
      try AccountSessionRecords.endAll(of: account, but: session.token, in: transaction)
      try RecognizedBrowserRecords.forget(account, but: browserHash, in: transaction)
    }
    try await apply(account)
  }

  /// Applies the end of an account's sessions in this process, after it was written: their access tokens are rejected,
  /// and their waiting polls end.
  package func apply(_ account: AccountID) async throws {
    try await revokedSessions.reload()
    changes.wake(account: account.description)
  }
}
