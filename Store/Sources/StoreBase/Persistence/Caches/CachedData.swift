/// Data that each process of the store keeps in memory.
///
/// Each has a revision, a row of a table, which the records raise in every transaction that changes the data. One query
/// a second tells each process what to read again (``Caches``). A purchase raises none: its row would be in the way of
/// all others.
package enum CachedData: String, CaseIterable, Sendable {
  /// The registered apps.
  case apps
  /// What the apps sell.
  case catalogue
  /// The keys that sign receipts and histories.
  case signingKeys = "signing_keys"
  /// The offset of the sandbox clock. Before the sessions, which are read as of the clock's time.
  case sandboxClock = "sandbox_clock"
  /// The store's secrets.
  case secrets
  /// The sessions that ended lately.
  case revokedSessions = "revoked_sessions"
}

extension Migration {
  static let revisions = [
    Migration(
      175, name: "revisions of what processes keep in memory",
      sql: "CREATE TABLE revisions(name TEXT PRIMARY KEY, number BIGINT NOT NULL) WITHOUT ROWID;",
      postgres: #"CREATE TABLE revisions(name TEXT COLLATE "C" PRIMARY KEY, number BIGINT NOT NULL);"#)
  ]
}
