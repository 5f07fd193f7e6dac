import Crypto
import Foundation
import OnsideAPI

/// The table of the store's secrets.
package enum StoreSecretRecords {
  /// SQL for the time of the last leak; 0 without one. Sessions and authorization codes that were made until then have
  /// ended: no statement updates their rows, of which a store may have millions.
  package static let lastLeak = "(SELECT COALESCE(max(leaked_at), 0) FROM store_secrets)"

  /// All secrets, the newest first.
  static func all(in connection: any SQLConnection) throws -> [StoreSecret] {
    try connection.rows("SELECT number, secret, starts_at, ends_at FROM store_secrets ORDER BY number DESC").map {
      row in
      StoreSecret(
        number: try row.integer("number"), start: try row.date("starts_at"), end: try row.optionalDate("ends_at"),
        value: try key(row.text("secret"), column: "secret"))
    }
  }

  static func key(_ text: String, column: String) throws(StorageError) -> SymmetricKey {
    guard let bytes = Base64URL.decode(text), bytes.count == 32 else {
      throw .unexpectedValue(column: column, expected: "32 bytes as base64url")
    }
    return SymmetricKey(data: bytes)
  }

  /// Inserts the first secret into an empty table.
  static func insertFirst(_ secret: String, in connection: any SQLConnection) throws {
    try connection.execute(
      """
      INSERT INTO store_secrets(number, secret, starts_at) SELECT 1, $1, 0
      WHERE NOT EXISTS (SELECT 1 FROM store_secrets) ON CONFLICT(number) DO NOTHING
      """, [.text(secret)])
  }

  /// Inserts a secret, sets the end of the previous one, and deletes those that have ended.
  static func rotate(to secret: String, from start: Date, until end: Date, in transaction: StoreTransaction) throws {
    try transaction.execute("DELETE FROM store_secrets WHERE ends_at <= $1", [.date(transaction.now)])
    try transaction.execute("UPDATE store_secrets SET ends_at = $1 WHERE ends_at IS NULL", [.date(end)])
    try insert(secret, from: start, in: transaction)
  }

  /// Inserts a secret, deletes all others, and records the time of the leak.
  package static func replace(by secret: String, in transaction: StoreTransaction) throws {
    try insert(secret, from: transaction.now, in: transaction)
    try transaction.execute("DELETE FROM store_secrets WHERE number < (SELECT max(number) FROM store_secrets)")
    try transaction.execute("UPDATE store_secrets SET leaked_at = $1", [.date(transaction.now)])
  }

  private static func insert(_ secret: String, from start: Date, in transaction: StoreTransaction) throws {
    try transaction.execute(
      """
      INSERT INTO store_secrets(number, secret, starts_at, leaked_at)
      SELECT max(number) + 1, $1, $2, max(leaked_at) FROM store_secrets
      """, [.text(secret), .date(start)])
    try RevisionRecords.raise(.secrets, in: transaction)
  }
}

extension Migration {
  static let storeSecrets = [
    Migration(
      338, name: "secrets of the store",
      sql: """
        CREATE TABLE store_secrets(
          number INTEGER PRIMARY KEY, secret TEXT NOT NULL, starts_at BIGINT NOT NULL, ends_at BIGINT,
          leaked_at BIGINT NOT NULL DEFAULT 0);
        """,
      postgres: """
        CREATE TABLE store_secrets(
          number BIGINT PRIMARY KEY, secret TEXT COLLATE "C" NOT NULL, starts_at BIGINT NOT NULL, ends_at BIGINT,
          leaked_at BIGINT NOT NULL DEFAULT 0);
        """)
  ]
}
