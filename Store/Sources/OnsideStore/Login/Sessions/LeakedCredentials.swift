/// The rows that let the holder of a copy of the database act as someone else.
enum LeakedCredentials {
  /// Ends all sessions, logins in progress, authorization codes and codes that were sent. Returns how many sessions of
  /// apps and of browsers ended.
  ///
  /// Access tokens end with the secret, so that no session is added to ``RevokedSessions``.
  static func end(in transaction: StoreTransaction) throws -> (apps: Int, browsers: Int) {
    let now = SQLValue.date(transaction.now)
    let apps = try transaction.execute("UPDATE sessions SET revoked_at = $1 WHERE revoked_at IS NULL", [now])
    let browsers = try transaction.execute("DELETE FROM web_sessions")
    try transaction.execute("DELETE FROM methods_sessions")
    try transaction.execute("DELETE FROM authorization_codes")
    try transaction.execute("UPDATE login_attempts SET finished_at = $1 WHERE finished_at IS NULL", [now])
    try transaction.execute("UPDATE one_time_codes SET expires_at = $1 WHERE expires_at > $1", [now])
    return (apps, browsers)
  }
}
