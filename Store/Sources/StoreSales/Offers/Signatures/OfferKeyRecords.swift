import Crypto
import Foundation
import StoreBase

/// The tables of promotional offers: the apps' keys, and the nonces that were used.
enum OfferKeyRecords {
  /// Adds a key; false when the app has one of that name.
  static func insert(_ key: OfferKey, of app: String, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute(
      """
      INSERT INTO offer_keys(app_id, id, public_key, created_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT(app_id, id) DO NOTHING
      """, [.text(app), .text(key.id), .text(key.publicKey.pemRepresentation), .date(key.createdAt)]) == 1
  }

  static func keys(of app: String, in connection: any SQLConnection) throws -> [OfferKey] {
    try connection.rows("SELECT * FROM offer_keys WHERE app_id = $1 ORDER BY created_at, id", [.text(app)])
      .map(OfferKey.init)
  }

  static func key(_ id: String, of app: String, in connection: any SQLConnection) throws -> OfferKey? {
    try connection.row("SELECT * FROM offer_keys WHERE app_id = $1 AND id = $2", [.text(app), .text(id)])
      .map(OfferKey.init)
  }

  static func remove(_ id: String, of app: String, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute("DELETE FROM offer_keys WHERE app_id = $1 AND id = $2", [.text(app), .text(id)]) == 1
  }

  /// Uses a nonce of an app; false when it was used. Those whose signatures are too old by now are forgotten.
  static func use(nonce: String, of app: String, at now: Date, in transaction: StoreTransaction) throws -> Bool {
    let isNew =
      try transaction.execute(
        """
        INSERT INTO offer_nonces(app_id, nonce, used_at) VALUES ($1, $2, $3) ON CONFLICT(app_id, nonce) DO NOTHING
        """, [.text(app), .text(nonce), .date(now)]) == 1
    let limit = now - 2 * (OfferSignature.lifetime + OfferSignature.clockTolerance)
    try transaction.deleteSome(from: "offer_nonces", where: "used_at < $1", [.date(limit)], key: "app_id, nonce")
    return isNew
  }
}

extension OfferKey {
  init(_ row: SQLRow) throws {
    guard let key = try? P256.Signing.PublicKey(pemRepresentation: try row.text("public_key")) else {
      throw StorageError.unexpectedValue(column: "public_key", expected: "a public key in PEM")
    }
    self.init(id: try row.text("id"), createdAt: try row.date("created_at"), publicKey: key)
  }
}

extension Migration {
  static let offerKeys = [
    Migration(
      291, name: "keys that sign promotional offers",
      sql: """
        CREATE TABLE offer_keys(
          app_id TEXT NOT NULL, id TEXT NOT NULL, public_key TEXT NOT NULL, created_at BIGINT NOT NULL,
          PRIMARY KEY (app_id, id)) WITHOUT ROWID;
        CREATE TABLE offer_nonces(
          app_id TEXT NOT NULL, nonce TEXT NOT NULL, used_at BIGINT NOT NULL,
          PRIMARY KEY (app_id, nonce)) WITHOUT ROWID;
        CREATE INDEX offer_nonces_by_time ON offer_nonces(used_at);
        """,
      postgres: """
        CREATE TABLE offer_keys(
          app_id TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, public_key TEXT COLLATE "C" NOT NULL,
          created_at BIGINT NOT NULL, PRIMARY KEY (app_id, id));
        CREATE TABLE offer_nonces(
          app_id TEXT COLLATE "C" NOT NULL, nonce TEXT COLLATE "C" NOT NULL, used_at BIGINT NOT NULL,
          PRIMARY KEY (app_id, nonce));
        CREATE INDEX offer_nonces_by_time ON offer_nonces(used_at);
        """)
  ]
}
