import Crypto
import Foundation
import StoreBase

/// The table of signing keys.
enum SigningKeyRecords {
  /// Every key, the newest first.
  static func all(in connection: any SQLConnection) throws -> [SigningKey] {
    try connection.rows("SELECT private_key, state, created_at FROM signing_keys ORDER BY seq DESC").map { row in
      guard let state = SigningKey.State(rawValue: try row.text("state")) else {
        throw StorageError.unexpectedValue(column: "state", expected: "next, active or retired")
      }
      return try SigningKey(rawKey: row.blob("private_key"), state: state, createdAt: row.date("created_at"))
    }
  }

  /// Makes a key.
  static func insert(_ state: SigningKey.State, in transaction: StoreTransaction) throws {
    let key = Array(P256.Signing.PrivateKey().rawRepresentation)
    try transaction.execute(
      "INSERT INTO signing_keys(private_key, state, created_at) VALUES ($1, $2, $3)",
      [.blob(key), .text(state.rawValue), .date(transaction.now)])
    try RevisionRecords.raise(.signingKeys, in: transaction)
  }

  /// Deletes a key.
  static func delete(_ key: SigningKey, in transaction: StoreTransaction) throws {
    try transaction.execute("DELETE FROM signing_keys WHERE private_key = $1", [.blob(key.rawKey)])
    try RevisionRecords.raise(.signingKeys, in: transaction)
  }

  /// Lets the next key sign, retires the one that signed, and makes a new next one.
  static func rotate(in transaction: StoreTransaction) throws {
    try transaction.execute("UPDATE signing_keys SET state = 'retired' WHERE state = 'active'")
    try transaction.execute("UPDATE signing_keys SET state = 'active' WHERE state = 'next'")
    try insert(.next, in: transaction)
  }
}
