import Foundation
import OnsideAPI
import StoreBase

/// A visit of a landing page.
struct AttributionVisit: Sendable, Hashable {
  var id: String
  var appID: String
  /// The visitor's name.
  var visitor: String
  /// The full address, query included.
  var address: String
  var referrer: String?
  var gclid: String?
  var gbraid: String?
  var wbraid: String?
  /// A keyed hash of network address and kind of system; kept only for matching, and only as long.
  var network: String?
  var visitedAt: Date
  var isRedeemed = false
}

/// The tables of attribution.
enum AttributionRecords {
  static func insert(_ visit: AttributionVisit, in transaction: StoreTransaction) throws {
    try VisitColumns(visit: visit).insert(in: transaction)
  }

  static func visit(_ id: String, app: String, in connection: any SQLConnection) throws -> AttributionVisit? {
    try connection.row(
      "SELECT * FROM attribution_visits WHERE id = $1 AND app_id = $2", [.text(id), .text(app)]
    ).map(visit)
  }

  /// The newest visits from a network, newest first.
  static func visits(
    app: String, network: String, since: Date, in connection: any SQLConnection
  ) throws -> [AttributionVisit] {
    try connection.rows(
      """
      SELECT * FROM attribution_visits WHERE app_id = $1 AND network = $2 AND visited_at >= $3
      ORDER BY visited_at DESC LIMIT 100
      """, [.text(app), .text(network), .date(since)]
    ).map(visit)
  }

  static func redeem(_ visit: AttributionVisit, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE attribution_visits SET redeemed_at = $2 WHERE id = $1", [.text(visit.id), .date(transaction.now)])
  }

  static func insertClaim(
    _ token: String, for visit: AttributionVisit, expiresAt: Date, in transaction: StoreTransaction
  ) throws {
    try transaction.execute(
      "INSERT INTO attribution_claims(id, app_id, visit_id, expires_at) VALUES ($1, $2, $3, $4)",
      [.text(token.sha256Base64URL), .text(visit.appID), .text(visit.id), .date(expiresAt)])
  }

  /// Takes a token for an installation; the visit that it stands for, the first time.
  static func spend(
    _ token: String, app: String, installation: InstallationID, in transaction: StoreTransaction
  ) throws -> AttributionVisit? {
    let row = try transaction.row(
      """
      UPDATE attribution_claims SET installation_id = $3
      WHERE id = $1 AND app_id = $2 AND installation_id IS NULL AND expires_at > $4 RETURNING visit_id
      """, [.text(token.sha256Base64URL), .text(app), .text(installation.description), .date(transaction.now)])
    return try row.flatMap { try visit(try $0.text("visit_id"), app: app, in: transaction) }
  }

  /// What is known of an installation: nil when it was never seen, else the address of its visit, if there is one.
  static func address(
    of installation: InstallationID, app: String, in connection: any SQLConnection
  ) throws -> String?? {
    try connection.row(
      "SELECT address FROM installations WHERE app_id = $1 AND id = $2",
      [.text(app), .text(installation.description)]
    ).map { try $0.optionalText("address") }
  }

  /// Inserts an installation, or updates its visit.
  static func save(
    _ installation: InstallationID, app: String, visit: AttributionVisit?, in transaction: StoreTransaction
  ) throws {
    try transaction.execute(
      """
      INSERT INTO installations(app_id, id, visit_id, address, created_at) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT(app_id, id) DO UPDATE SET visit_id = excluded.visit_id, address = excluded.address
      """,
      [
        .text(app), .text(installation.description), .text(visit?.id), .text(visit?.address), .date(transaction.now),
      ])
  }

  /// Forgets some visits; returns how many.
  static func clear(visitsBefore date: Date, in connection: any SQLConnection) throws -> Int {
    try connection.deleteSome(from: "attribution_visits", where: "visited_at < $1", [.date(date)])
  }

  /// Forgets some networks of visits; returns how many.
  static func clear(networksBefore date: Date, in connection: any SQLConnection) throws -> Int {
    try connection.execute(
      """
      UPDATE attribution_visits SET network = NULL WHERE id IN (
        SELECT id FROM attribution_visits WHERE visited_at < $1 AND network IS NOT NULL LIMIT \(Retention.limit))
      """, [.date(date)])
  }

  /// Forgets some one-time tokens; returns how many.
  static func clear(claimsBefore date: Date, in connection: any SQLConnection) throws -> Int {
    try connection.deleteSome(from: "attribution_claims", where: "expires_at < $1", [.date(date)])
  }

  private static func visit(_ row: SQLRow) throws -> AttributionVisit {
    AttributionVisit(
      id: try row.text("id"), appID: try row.text("app_id"), visitor: try row.text("visitor"),
      address: try row.text("address"), referrer: try row.optionalText("referrer"),
      gclid: try row.optionalText("gclid"), gbraid: try row.optionalText("gbraid"),
      wbraid: try row.optionalText("wbraid"), network: try row.optionalText("network"),
      visitedAt: try row.date("visited_at"), isRedeemed: try row.optionalDate("redeemed_at") != nil)
  }
}

/// The columns of a new visit.
private struct VisitColumns: TableRecord {
  static let table = "attribution_visits"
  let visit: AttributionVisit

  var key: Columns { ["id": .text(visit.id)] }

  var fixed: Columns {
    [
      "app_id": .text(visit.appID),
      "visitor": .text(visit.visitor),
      "address": .text(visit.address),
      "referrer": .text(visit.referrer),
      "gclid": .text(visit.gclid),
      "gbraid": .text(visit.gbraid),
      "wbraid": .text(visit.wbraid),
      "network": .text(visit.network),
      "visited_at": .date(visit.visitedAt),
    ]
  }
}
