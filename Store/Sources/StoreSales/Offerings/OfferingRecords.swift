import Foundation
import OnsideCommerce
import StoreBase

/// The table of offerings. An offering is kept as JSON.
enum OfferingRecords {
  /// The offerings of an app.
  static func offerings(of app: String, in connection: any SQLConnection) throws -> Offerings {
    var offerings = Offerings()
    let rows = try connection.rows(
      "SELECT offering, is_current FROM offerings WHERE app_id = $1 ORDER BY position, id", [.text(app)])
    for row in rows {
      let offering = try JSONDecoder().decode(Offering.self, from: Data(try row.text("offering").utf8))
      offerings.all.append(offering)
      if try row.integer("is_current") == 1 { offerings.current = offering.id }
    }
    return offerings
  }

  /// Writes an offering: a new one behind all others, a known one in its place.
  static func save(_ offering: Offering, of app: String, in transaction: StoreTransaction) throws {
    let text = String(decoding: try TransactionHistory.encoder.encode(offering), as: UTF8.self)
    try transaction.execute(
      """
      INSERT INTO offerings(app_id, id, position, is_current, offering)
      VALUES ($1, $2, (SELECT COALESCE(MAX(position), 0) + 1 FROM offerings WHERE app_id = $1), 0, $3)
      ON CONFLICT(app_id, id) DO UPDATE SET offering = excluded.offering
      """, [.text(app), .text(offering.id), .text(text)])
  }

  /// Makes an offering the one to be shown; none with nil.
  static func makeCurrent(_ id: String?, of app: String, in transaction: StoreTransaction) throws {
    try transaction.execute("UPDATE offerings SET is_current = 0 WHERE app_id = $1", [.text(app)])
    guard let id else { return }
    try transaction.execute(
      "UPDATE offerings SET is_current = 1 WHERE app_id = $1 AND id = $2", [.text(app), .text(id)])
  }

  /// Removes an offering.
  static func remove(_ id: String, of app: String, in transaction: StoreTransaction) throws {
    try transaction.execute("DELETE FROM offerings WHERE app_id = $1 AND id = $2", [.text(app), .text(id)])
  }
}

extension Migration {
  static let offerings = [
    Migration(
      270, name: "offerings",
      sql: """
        CREATE TABLE offerings(
          app_id TEXT NOT NULL, id TEXT NOT NULL, position BIGINT NOT NULL, is_current BIGINT NOT NULL,
          offering TEXT NOT NULL, PRIMARY KEY (app_id, id)) WITHOUT ROWID;
        """,
      postgres: """
        CREATE TABLE offerings(
          app_id TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, position BIGINT NOT NULL,
          is_current BIGINT NOT NULL, offering TEXT COLLATE "C" NOT NULL, PRIMARY KEY (app_id, id));
        """)
  ]
}
