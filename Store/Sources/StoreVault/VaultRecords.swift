import Foundation
import OnsideAPI
import OnsideVault
import StoreBase

/// The vault's tables.
enum VaultRecords {
  static func record(_ id: VaultEnrolmentID, in connection: any SQLConnection) throws -> VaultRecord? {
    try connection.row("SELECT * FROM vault_records WHERE id = $1", [.blob(id.bytes)]).map(record)
  }

  /// Whether no device is enrolled.
  static func isEmpty(in connection: any SQLConnection) throws -> Bool {
    try connection.row("SELECT count(*) AS count FROM vault_records")?.integer("count") ?? 0 == 0
  }

  static func insert(_ record: VaultRecord, in transaction: StoreTransaction) throws {
    try VaultColumns(record: record).insert(in: transaction)
  }

  /// Writes the mutable columns of a record.
  static func update(_ record: VaultRecord, in transaction: StoreTransaction) throws {
    try VaultColumns(record: record).update(in: transaction)
  }

  /// Stores a request's nonce; false when it is stored already (a replay).
  static func note(
    _ signature: VaultSignature, of record: VaultRecord, in transaction: StoreTransaction
  ) throws -> Bool {
    let id = SQLValue.blob(record.enrolment.bytes)
    return try transaction.execute(
      "INSERT INTO vault_nonces(record_id, nonce, signed_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
      [id, .blob(signature.nonce), .integer(signature.time)]) == 1
  }

  /// Deletes the nonces of requests that are refused for their age anyway.
  static func forgetOldRequests(of record: VaultRecord, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "DELETE FROM vault_nonces WHERE record_id = $1 AND signed_at <= $2",
      [.blob(record.enrolment.bytes), .integer(record.requestsAfter)])
  }

  /// Deletes some enrolments that no device has confirmed in time; true when there was one.
  static func drop(enrolledBefore date: Date, in transaction: StoreTransaction) throws -> Bool {
    try dropUnconfirmed("enrolled_at <= $1 ORDER BY enrolled_at, id LIMIT 100", value: .date(date), in: transaction)
  }

  /// Deletes the unconfirmed replacements of an enrolment; true when there was one.
  static func drop(replacing old: VaultRecord, in transaction: StoreTransaction) throws -> Bool {
    try dropUnconfirmed("replaces = $1", value: .blob(old.enrolment.bytes), in: transaction)
  }

  private static func dropUnconfirmed(
    _ condition: String, value: SQLValue, in transaction: StoreTransaction
  ) throws -> Bool {
    let dropped = "(SELECT id FROM vault_records WHERE state IN ('open', 'sealed') AND \(condition))"
    try transaction.execute("DELETE FROM vault_nonces WHERE record_id IN \(dropped)", [value])
    return try transaction.execute("DELETE FROM vault_records WHERE id IN \(dropped)", [value]) > 0
  }

  /// Treats every record with a key as restored from a backup. Returns their number.
  static func restoreAll(in transaction: StoreTransaction) throws -> Int {
    // What `VaultEvent.restore` does, in one statement: every write of every process waits for it.
    try transaction.execute(
      """
      UPDATE vault_records SET tries = CASE WHEN tries < $1 THEN $1 ELSE tries END, is_restored = 1
      WHERE secret_key IS NOT NULL
      """,
      [.integer(VaultRules.tries - 1)])
  }

  private static func record(_ row: SQLRow) throws -> VaultRecord {
    var record = VaultRecord(
      enrolment: try id(row, column: "id"), deviceKey: try row.blob("device_key"),
      publicKey: try row.blob("public_key"),
      replaces: try row.optionalBlob("replaces") == nil ? nil : id(row, column: "replaces"),
      epoch: Int(try row.integer("epoch")), enrolledAt: try row.date("enrolled_at"))
    record.state = VaultState(rawValue: try row.text("state"))
    record.key = try row.optionalBlob("secret_key").flatMap { VaultKey(bytes: $0) }
    record.tagHash = try row.optionalBlob("tag_hash")
    record.tries = Int(try row.integer("tries"))
    let waitsUntil = try row.integer("waits_until")
    record.waitsUntil = waitsUntil == 0 ? .distantPast : Date(millisecondsSince1970: waitsUntil)
    record.isRestored = try row.bool("is_restored")
    record.requestsAfter = try row.integer("requests_after")
    return record
  }

  private static func id(_ row: SQLRow, column: String) throws -> VaultEnrolmentID {
    guard let id = VaultEnrolmentID(try row.blob(column)) else {
      throw StorageError.unexpectedValue(column: column, expected: "16 bytes")
    }
    return id
  }
}

/// The columns of a record of the vault.
private struct VaultColumns: TableRecord {
  static let table = "vault_records"
  let record: VaultRecord

  var key: Columns { ["id": .blob(record.enrolment.bytes)] }

  var fixed: Columns {
    [
      "device_key": .blob(record.deviceKey),
      "public_key": .blob(record.publicKey),
      "replaces": .blob(record.replaces?.bytes),
      "epoch": .integer(record.epoch),
      "enrolled_at": .date(record.enrolledAt),
    ]
  }

  var mutable: Columns {
    [
      "secret_key": .blob(record.key?.bytes),
      "tag_hash": .blob(record.tagHash),
      "state": .text(record.state.rawValue),
      "tries": .integer(record.tries),
      "waits_until": .integer(record.waitsUntilMilliseconds),
      "is_restored": .bool(record.isRestored),
      "requests_after": .integer(record.requestsAfter),
    ]
  }
}

extension VaultRecord {
  /// The end of the wait in milliseconds since 1970, rounded up; 0 when there is no wait.
  fileprivate var waitsUntilMilliseconds: Int64 {
    waitsUntil == .distantPast ? 0 : Int64((waitsUntil.timeIntervalSince1970 * 1000).rounded(.up))
  }
}

extension SQLValue {
  /// Bytes, or null.
  fileprivate static func blob(_ bytes: [UInt8]?) -> SQLValue { bytes.map { .blob($0) } ?? .null }
}
