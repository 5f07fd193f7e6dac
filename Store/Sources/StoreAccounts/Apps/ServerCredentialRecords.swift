import StoreBase

/// The table of the credentials of merchants' servers. It has only the hash of a secret.
enum ServerCredentialRecords {
  static func insert(_ id: String, secret: String, app: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "INSERT INTO server_credentials(id, app_id, secret, created_at) VALUES ($1, $2, $3, $4)",
      [.text(id), .text(app), .text(secret.sha256Base64URL), .date(transaction.now)])
  }

  /// All of them, oldest first.
  static func all(in connection: any SQLConnection) throws -> [ServerCredentials.Entry] {
    try connection.rows("SELECT id, app_id, created_at FROM server_credentials ORDER BY created_at, id").map { row in
      ServerCredentials.Entry(
        id: try row.text("id"), appID: try row.text("app_id"), createdAt: try row.date("created_at"))
    }
  }

  /// Takes a credential away; false when there is none with this name.
  static func remove(_ id: String, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute("DELETE FROM server_credentials WHERE id = $1", [.text(id)]) > 0
  }

  /// The app of a credential; nil when the credential is wrong. What is compared are hashes, whose first difference
  /// tells nothing about the secret.
  static func app(_ id: String, secret: String, in connection: any SQLConnection) throws -> String? {
    try connection.row(
      "SELECT app_id FROM server_credentials WHERE id = $1 AND secret = $2",
      [.text(id), .text(secret.sha256Base64URL)])?.text("app_id")
  }
}
