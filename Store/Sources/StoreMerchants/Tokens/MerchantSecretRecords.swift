import Foundation
import StoreBase

/// The table of merchants' secrets, which are sealed.
enum MerchantSecretRecords {
  /// A secret with its seal.
  struct Sealed: Sendable {
    let entry: MerchantSecretEntry
    let seal: [UInt8]
  }

  static func insert(_ secret: Sealed, in transaction: StoreTransaction) throws {
    let entry = secret.entry
    try transaction.execute(
      "INSERT INTO merchant_secrets(id, merchant_id, app_id, sealed, created_at) VALUES ($1, $2, $3, $4, $5)",
      [.text(entry.id), .text(entry.merchant), .text(entry.app), .blob(secret.seal), .date(entry.createdAt)])
  }

  /// All secrets whose validity has not ended, by app; the oldest of an app first.
  static func all(at now: Date, in connection: any SQLConnection) throws -> [MerchantSecretEntry] {
    try connection.rows(
      """
      SELECT * FROM merchant_secrets WHERE valid_until IS NULL OR valid_until > $1 ORDER BY app_id, created_at, id
      """, [.date(now)]
    ).map(entry)
  }

  /// The secret with an id, if its validity has not ended.
  static func secret(_ id: String, at now: Date, in connection: any SQLConnection) throws -> Sealed? {
    try connection.row(
      "SELECT * FROM merchant_secrets WHERE id = $1 AND (valid_until IS NULL OR valid_until > $2)",
      [.text(id), .date(now)]
    ).map { Sealed(entry: try entry($0), seal: try $0.blob("sealed")) }
  }

  /// The merchant id of an app; nil for an app without secrets.
  static func merchant(of app: String, in connection: any SQLConnection) throws -> String? {
    try connection.row(
      "SELECT merchant_id FROM merchant_secrets WHERE app_id = $1 AND valid_until IS NULL", [.text(app)]
    )?.text("merchant_id")
  }

  /// Sets the end of an app's newest secret, and deletes the one before it.
  static func end(of app: String, at end: Date, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "DELETE FROM merchant_secrets WHERE app_id = $1 AND valid_until IS NOT NULL", [.text(app)])
    try transaction.execute(
      "UPDATE merchant_secrets SET valid_until = $2 WHERE app_id = $1", [.text(app), .date(end)])
  }

  /// Deletes the secrets of an app; false for an app without secrets.
  static func removeAll(of app: String, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute("DELETE FROM merchant_secrets WHERE app_id = $1", [.text(app)]) > 0
  }

  /// Writes the time of a secret's last request, at most once a minute.
  static func writeUse(of id: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE merchant_secrets SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)",
      [.text(id), .date(transaction.now), .date(transaction.now - 60)])
  }

  private static func entry(_ row: SQLRow) throws -> MerchantSecretEntry {
    MerchantSecretEntry(
      id: try row.text("id"), merchant: try row.text("merchant_id"), app: try row.text("app_id"),
      createdAt: try row.date("created_at"), lastUsedAt: try row.optionalDate("last_used_at"),
      validUntil: try row.optionalDate("valid_until"))
  }
}
