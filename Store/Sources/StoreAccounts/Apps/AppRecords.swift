import Foundation
import OnsideCommerce
package import StoreBase

/// The table of registered apps.
package enum AppRecords {
  /// Writes an app, new or changed.
  static func save(_ app: App, in transaction: StoreTransaction) throws {
    let redirects = String(decoding: try JSONEncoder().encode(app.redirectURIs), as: UTF8.self)
    try AppColumns(app: app, redirects: redirects, createdAt: transaction.now).save(in: transaction)
    try RevisionRecords.raise(.apps, in: transaction)
  }

  package static func remove(_ id: String, in transaction: StoreTransaction) throws {
    try transaction.execute("DELETE FROM apps WHERE id = $1", [.text(id)])
    try RevisionRecords.raise(.apps, in: transaction)
  }

  /// Throws ``UnregisteredApp`` unless an app is registered.
  package static func requireApp(_ id: String, in connection: any SQLConnection) throws {
    guard try connection.row("SELECT id FROM apps WHERE id = $1", [.text(id)]) == nil else { return }
    throw UnregisteredApp(id: id)
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

/// The columns of an app.
private struct AppColumns: TableRecord {
  static let table = "apps"
  let app: App
  /// JSON.
  let redirects: String
  let createdAt: Date

  var key: Columns { ["id": .text(app.id)] }

  var fixed: Columns { ["created_at": .date(createdAt)] }

  var mutable: Columns {
    [
      "name": .text(app.name),
      "redirect_uris": .text(redirects),
      "default_country": .text(app.defaultCountry?.alpha2),
      "install_uri": .text(app.installURI),
      "refund_rule": .text(app.rules.refund.rawValue),
      "dispute_rule": .text(app.rules.dispute.rawValue),
      "fraud_rule": .text(app.rules.fraud.rawValue),
    ]
  }
}
