import StoreBase

/// The rows, beside sessions, that let the holder of a copy of the database act as someone else.
enum LeakedCredentialRecords {
  /// Ends the logins in progress, the addresses of the page of payment methods, and the codes that wait to be sent:
  /// rows of the last hour or so. Deletes the secrets of merchants: the copy opens their seal.
  ///
  /// Sessions and authorization codes end by ``StoreSecretRecords/lastLeak``, access tokens and codes that were sent
  /// with the secret.
  static func end(in transaction: StoreTransaction) throws {
    let now = SQLValue.date(transaction.now)
    try transaction.execute("DELETE FROM methods_sessions")
    try transaction.execute("DELETE FROM merchant_secrets")
    try transaction.execute(
      "UPDATE login_attempts SET finished_at = $1 WHERE expires_at > $1 AND finished_at IS NULL", [now])
    try transaction.execute(
      "UPDATE one_time_codes SET expires_at = $1 WHERE delivered_at IS NULL AND expires_at > $1", [now])
  }
}
