import Foundation
import OnsideCommerce
package import StoreBase

/// The table of registered apps.
package enum AppRecords {
  /// Writes an app, new or changed.
  static func save(_ app: App, in transaction: StoreTransaction) throws {
    let redirects = String(decoding: try JSONEncoder().encode(app.redirectURIs), as: UTF8.self)
    try transaction.execute(
      """
      INSERT INTO apps(id, name, redirect_uris, default_country, install_uri, created_at, refund_rule, dispute_rule,
        fraud_rule)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      ON CONFLICT(id) DO UPDATE SET name = excluded.name, redirect_uris = excluded.redirect_uris,
        default_country = excluded.default_country, install_uri = excluded.install_uri,
        refund_rule = excluded.refund_rule, dispute_rule = excluded.dispute_rule, fraud_rule = excluded.fraud_rule
      """,
      [
        .text(app.id), .text(app.name), .text(redirects), .text(app.defaultCountry?.alpha2), .text(app.installURI),
        .date(transaction.now), .text(app.rules.refund.rawValue), .text(app.rules.dispute.rawValue),
        .text(app.rules.fraud.rawValue),
      ])
    try RevisionRecords.raise(.apps, in: transaction)
  }

  package static func remove(_ id: String, in transaction: StoreTransaction) throws {
    try transaction.execute("DELETE FROM apps WHERE id = $1", [.text(id)])
    try RevisionRecords.raise(.apps, in: transaction)
  }

  /// What takes a purchase of an app away; the usual rules for an app that is no longer registered.
  package static func rules(of app: String, in connection: any SQLConnection) throws -> RevocationRules {
    try connection.row("SELECT refund_rule, dispute_rule, fraud_rule FROM apps WHERE id = $1", [.text(app)])
      .map(rules) ?? RevocationRules()
  }

  private static func rules(_ row: SQLRow) throws -> RevocationRules {
    RevocationRules(
      refund: RefundRule(rawValue: try row.text("refund_rule")) ?? .whole,
      dispute: DisputeRule(rawValue: try row.text("dispute_rule")) ?? .lost,
      fraud: FraudRule(rawValue: try row.text("fraud_rule")) ?? .keep)
  }

  static func all(in connection: any SQLConnection) throws -> [App] {
    try connection.rows("SELECT * FROM apps").map { row in
      App(
        id: try row.text("id"), name: try row.text("name"),
        redirectURIs: try JSONDecoder().decode([String].self, from: Data(try row.text("redirect_uris").utf8)),
        defaultCountry: try row.optionalText("default_country").flatMap { CountryCode(alpha2: $0) },
        installURI: try row.optionalText("install_uri"),
        rules: try rules(row))
    }
  }
}
