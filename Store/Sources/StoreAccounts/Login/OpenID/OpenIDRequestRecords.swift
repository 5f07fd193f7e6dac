import StoreBase

/// The columns of the table of logins in which the pending request to a provider stands: the provider, and the hash of
/// the state.
enum OpenIDRequestRecords {
  /// Notes a request for a login, which replaces an earlier one of the same login; false when the login is over.
  static func begin(
    _ state: String, of attempt: String, provider: String, in connection: any SQLConnection
  ) throws -> Bool {
    try connection.execute(
      "UPDATE login_attempts SET provider = $2, provider_state = $3 WHERE id = $1 AND finished_at IS NULL",
      [.text(attempt), .text(provider), .text(state.sha256Base64URL)]) == 1
  }

  /// The id of the login that waits for a state; nil when there is none.
  static func attemptID(_ state: String, provider: String, in connection: any SQLConnection) throws -> String? {
    try connection.row(
      "SELECT id FROM login_attempts WHERE provider_state = $1 AND provider = $2",
      [.text(state.sha256Base64URL), .text(provider)])?.text("id")
  }

  /// Uses up a state; false when it was used before, or the login is over.
  static func take(_ state: String, of attempt: String, in connection: any SQLConnection) throws -> Bool {
    try connection.execute(
      """
      UPDATE login_attempts SET provider_state = NULL
      WHERE id = $1 AND provider_state = $2 AND finished_at IS NULL
      """, [.text(attempt), .text(state.sha256Base64URL)]) == 1
  }
}
