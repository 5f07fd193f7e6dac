import Foundation
import OnsideAPI
import StoreBase

/// The tables of API keys and of the hashes of their secrets.
enum APIKeyRecords {
  static func insert(_ key: APIKey, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "INSERT INTO api_keys(id, app_id, name, scopes, created_at) VALUES ($1, $2, $3, $4, $5)",
      [.text(key.id), .text(key.app), .text(key.name), .text(key.scopes.text), .date(key.createdAt)])
    for secret in key.secrets { try insert(secret, of: key.id, in: transaction) }
  }

  /// Makes a secret the newest one of a key. The previous one is valid until `end`; older ones are deleted.
  static func replaceSecret(
    of id: String, by secret: APIKeySecret, until end: Date, in transaction: StoreTransaction
  ) throws {
    try transaction.execute(
      "DELETE FROM api_key_secrets WHERE key_id = $1 AND valid_until IS NOT NULL", [.text(id)])
    try transaction.execute(
      "UPDATE api_key_secrets SET valid_until = $1 WHERE key_id = $2", [.date(end), .text(id)])
    try insert(secret, of: id, in: transaction)
  }

  private static func insert(_ secret: APIKeySecret, of id: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "INSERT INTO api_key_secrets(key_id, hash, created_at, valid_until) VALUES ($1, $2, $3, $4)",
      [.text(id), .text(secret.hash), .date(transaction.now), .date(secret.validUntil)])
  }

  /// The keys of an app, or of all apps; the oldest first.
  static func all(of app: String?, in connection: any SQLConnection) throws -> [APIKey] {
    let rows =
      if let app {
        try connection.rows("SELECT * FROM api_keys WHERE app_id = $1 ORDER BY created_at, id", [.text(app)])
      } else {
        try connection.rows("SELECT * FROM api_keys ORDER BY created_at, id")
      }
    return try rows.map { try key($0, in: connection) }
  }

  static func key(_ id: String, in connection: any SQLConnection) throws -> APIKey? {
    try connection.row("SELECT * FROM api_keys WHERE id = $1", [.text(id)]).map { try key($0, in: connection) }
  }

  /// Removes a key; false if there is none with this id.
  static func remove(_ id: String, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute("DELETE FROM api_key_secrets WHERE key_id = $1", [.text(id)])
    return try transaction.execute("DELETE FROM api_keys WHERE id = $1", [.text(id)]) > 0
  }

  /// Removes all keys of an app.
  static func removeAll(of app: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "DELETE FROM api_key_secrets WHERE key_id IN (SELECT id FROM api_keys WHERE app_id = $1)", [.text(app)])
    try transaction.execute("DELETE FROM api_keys WHERE app_id = $1", [.text(app)])
  }

  /// Writes the time of a key's last request, unless a later one is written.
  static func writeUse(of id: String, at time: Date, in transaction: StoreTransaction) throws {
    try transaction.execute(
      """
      UPDATE api_keys SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $1)
      """, [.date(time), .text(id)])
  }

  private static func key(_ row: SQLRow, in connection: any SQLConnection) throws -> APIKey {
    let id = try row.text("id")
    let secrets = try connection.rows(
      "SELECT hash, valid_until FROM api_key_secrets WHERE key_id = $1 ORDER BY created_at DESC, hash", [.text(id)]
    ).map { APIKeySecret(hash: try $0.text("hash"), validUntil: try $0.optionalDate("valid_until")) }
    return APIKey(
      id: id, app: try row.text("app_id"), name: try row.text("name"),
      scopes: Set(stored: try row.text("scopes")), createdAt: try row.date("created_at"),
      lastUsedAt: try row.optionalDate("last_used_at"), secrets: secrets)
  }
}
