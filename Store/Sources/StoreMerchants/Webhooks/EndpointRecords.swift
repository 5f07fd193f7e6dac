import Foundation
import StoreBase

/// The table of endpoints.
enum EndpointRecords {
  /// An endpoint with its sealed secrets.
  struct Stored: Sendable {
    let endpoint: WebhookEndpoint
    let secret: [UInt8]
    /// The previous secret, also after its end.
    let olderSecret: [UInt8]?
  }

  static func insert(_ endpoint: WebhookEndpoint, secret: [UInt8], in transaction: StoreTransaction) throws {
    try EndpointColumns(endpoint: endpoint, secret: secret).insert(in: transaction)
  }

  /// The endpoints of an app, or of all apps; the oldest first.
  static func all(of app: String?, in connection: any SQLConnection) throws -> [WebhookEndpoint] {
    let rows =
      if let app {
        try connection.rows("SELECT * FROM webhook_endpoints WHERE app_id = $1 ORDER BY created_at, id", [.text(app)])
      } else {
        try connection.rows("SELECT * FROM webhook_endpoints ORDER BY created_at, id")
      }
    return try rows.map(endpoint)
  }

  static func stored(_ id: String, in connection: any SQLConnection) throws -> Stored? {
    try connection.row("SELECT * FROM webhook_endpoints WHERE id = $1", [.text(id)]).map { row in
      Stored(
        endpoint: try endpoint(row), secret: try row.blob("secret"), olderSecret: try row.optionalBlob("older_secret"))
    }
  }

  /// Makes a secret the newest one. The previous one is valid until `end`.
  static func replaceSecret(
    of id: String, by secret: [UInt8], until end: Date, in transaction: StoreTransaction
  ) throws -> Bool {
    try transaction.execute(
      """
      UPDATE webhook_endpoints SET older_secret = secret, older_secret_until = $2, secret = $3 WHERE id = $1
      """, [.text(id), .date(end), .blob(secret)]) > 0
  }

  static func enable(_ id: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      """
      UPDATE webhook_endpoints SET disabled_at = NULL, disabled_reason = NULL, failing_since = NULL WHERE id = $1
      """, [.text(id)])
  }

  /// Disables an endpoint; an endpoint that is disabled keeps its reason. False without this endpoint.
  static func disable(
    _ id: String, because reason: WebhookEndpoint.DisabledReason, in transaction: StoreTransaction
  ) throws -> Bool {
    try transaction.execute(
      """
      UPDATE webhook_endpoints SET disabled_reason = coalesce(disabled_reason, $3),
        disabled_at = coalesce(disabled_at, $2)
      WHERE id = $1
      """, [.text(id), .date(transaction.now), .text(reason.rawValue)]) > 0
  }

  static func setFailing(since time: Date?, of id: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE webhook_endpoints SET failing_since = $2 WHERE id = $1", [.text(id), .date(time)])
  }

  /// Removes an endpoint with its deliveries and attempts; false without this endpoint.
  static func remove(_ id: String, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute("DELETE FROM webhook_deliveries WHERE endpoint_id = $1", [.text(id)])
    try transaction.execute("DELETE FROM webhook_attempts WHERE endpoint_id = $1", [.text(id)])
    return try transaction.execute("DELETE FROM webhook_endpoints WHERE id = $1", [.text(id)]) > 0
  }

  static func endpoint(_ row: SQLRow) throws -> WebhookEndpoint {
    WebhookEndpoint(
      id: try row.text("id"), app: try row.text("app_id"), url: try row.text("url"),
      types: types(try row.text("types")), allowsPrivate: try row.bool("allows_private"),
      createdAt: try row.date("created_at"), cursor: try row.integer("cursor"),
      failingSince: try row.optionalDate("failing_since"), disabledAt: try row.optionalDate("disabled_at"),
      disabledReason: try row.optionalText("disabled_reason").flatMap { WebhookEndpoint.DisabledReason(rawValue: $0) },
      olderSecretEnd: try row.optionalDate("older_secret_until"))
  }

  /// The types of a stored list, which has commas.
  static func types(_ text: String) -> Set<String> { Set(text.split(separator: ",").map { String($0) }) }
}

/// The columns of a new endpoint.
private struct EndpointColumns: TableRecord {
  static let table = "webhook_endpoints"
  let endpoint: WebhookEndpoint
  let secret: [UInt8]

  var key: Columns { ["id": .text(endpoint.id)] }

  var fixed: Columns {
    [
      "app_id": .text(endpoint.app),
      "url": .text(endpoint.url),
      "types": .text(endpoint.types.sorted().joined(separator: ",")),
      "allows_private": .bool(endpoint.allowsPrivate),
      "secret": .blob(secret),
      "created_at": .date(endpoint.createdAt),
      "cursor": .integer(endpoint.cursor),
    ]
  }
}
