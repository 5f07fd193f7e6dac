public import StoreBase

/// The rows, beside sessions, that let the holder of a copy of the database act as someone else.
enum LeakedCredentials {
  /// Ends the logins in progress, the addresses of the page of payment methods, and the codes that wait to be sent:
  /// rows of the last hour or so.
  ///
  /// Sessions and authorization codes end by ``StoreSecretRecords/lastLeak``, access tokens and codes that were sent
  /// with the secret.
  static func end(in transaction: StoreTransaction) throws {
    let now = SQLValue.date(transaction.now)
    try transaction.execute("DELETE FROM methods_sessions")
    try transaction.execute(
      "UPDATE login_attempts SET finished_at = $1 WHERE expires_at > $1 AND finished_at IS NULL", [now])
    try transaction.execute(
      "UPDATE one_time_codes SET expires_at = $1 WHERE delivered_at IS NULL AND expires_at > $1", [now])
  }
}

extension StoreSecrets {
  /// Makes a new secret in place of all others, and ends what a copy of the database lets its holder use: sessions,
  /// logins in progress, codes.
  public func replaceLeaked() async throws {
    let fresh = random.token(bytes: 32)
    try await database.write(at: clock.now()) { transaction in
      try StoreSecretRecords.replace(by: fresh, in: transaction)
      try LeakedCredentials.end(in: transaction)
    }
    try await reload()
  }
}
