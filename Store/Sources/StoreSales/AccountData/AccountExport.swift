import Foundation
import OnsideAPI
package import StoreAccounts
package import StoreBase
package import StoreWeb

/// The data export of an account: all its rows, as one JSON document; `docs/account-data.md` describes it.
package struct AccountExport: Sendable {
  private static let hasContact = "phone IN (SELECT contact FROM identities WHERE account_id = $1)"

  /// The tables of the store without those of its payment providers.
  private static let storeTables = [
    AccountTable(name: "account", table: "accounts", condition: "id = $1"),
    AccountTable(name: "identities", table: "identities", condition: "account_id = $1"),
    AccountTable(name: "browsers", table: "web_sessions", condition: "account_id = $1", secrets: ["id"]),
    AccountTable(
      name: "recognized_browsers", table: "recognized_browsers", condition: "account_id = $1", secrets: ["browser"]),
    AccountTable(name: "apps", table: "sessions", condition: "account_id = $1", secrets: ["secret"]),
    AccountTable(
      name: "consents", table: "authorization_codes", condition: "account_id = $1", secrets: ["id", "code_challenge"]),
    AccountTable(name: "payment_methods", table: "payment_methods", condition: "account_id = $1"),
    AccountTable(
      name: "payment_method_pages", table: "methods_sessions", condition: "account_id = $1", secrets: ["id"]),
    AccountTable(name: "orders", table: "orders", condition: "account_id = $1"),
    AccountTable(name: "merchant_events", table: "merchant_events", condition: "account_id = $1"),
    AccountTable(name: "subscriptions", table: "subscriptions", condition: "account_id = $1"),
    AccountTable(name: "subscription_consents", table: "subscription_consents", condition: "account_id = $1"),
    AccountTable(name: "subscription_periods", table: "subscription_periods", condition: "account_id = $1"),
    AccountTable(name: "subscription_prices", table: "subscription_prices", condition: "account_id = $1"),
    AccountTable(name: "offer_code_uses", table: "offer_code_uses", condition: "account_id = $1"),
    OfferCodeTryRecords.export,
    AccountTable(name: "subscription_messages", table: "subscription_messages", condition: "account_id = $1"),
    AccountTable(name: "merchant_customers", table: "merchant_customers", condition: "account_id = $1"),
    AccountTable(name: "idempotency_answers", table: "idempotency_answers", condition: "account_id = $1"),
    AccountTable(name: "receipts", table: "receipts", condition: AccountTable.isOrder),
    AccountTable(name: "finishes", table: "order_finishes", condition: AccountTable.isOrder),
    AccountTable(name: "payments", table: "payments", condition: AccountTable.isOrder),
    AccountTable(name: "refunds", table: "refunds", condition: AccountTable.isOrder),
    AccountTable(name: "disputes", table: "disputes", condition: AccountTable.isOrder),
    AccountTable(name: "refund_requests", table: "refund_requests", condition: AccountTable.isOrder),
    AccountTable(name: "ledger", table: "ledger", condition: AccountTable.isOrder),
    AccountTable(name: "taxes", table: "order_taxes", condition: AccountTable.isOrder),
    AccountTable(name: "receipt_numbers", table: "receipt_numbers", condition: AccountTable.isOrder),
    AccountTable(
      name: "logins", table: "login_attempts", condition: "account_id = $1 OR \(hasContact)",
      secrets: ["id", "browser", "code_challenge", "state", "provider_state"]),
    AccountTable(
      name: "codes", table: "one_time_codes", condition: hasContact, secrets: ["id", "attempt_id", "device"]),
    AccountTable(
      name: "wrong_codes", table: "code_failures",
      condition: "contact IN (SELECT contact FROM identities WHERE account_id = $1)", secrets: ["browser"]),
    AccountTable(name: "operator_acts", table: "audit", condition: "subject = $1", secrets: ["operator"]),
  ]

  /// The exported tables.
  let parts: [AccountTable]
  private let database: any Database
  private let clock: any StoreClock
  private let address: PublicAddress

  /// - Parameter providerTables: the payment providers' tables with data of accounts.
  package init(_ dependencies: BaseDependencies, address: PublicAddress, providerTables: [AccountTable]) {
    parts = Self.storeTables + providerTables
    database = dependencies.database
    clock = dependencies.clock
    self.address = address
  }

  /// The document, in UTF-8.
  func document(of account: AccountID) async throws -> Data {
    let rows = try await database.read { [parts] connection in
      try parts.map { ($0, try AccountExportRecords.rows(of: $0, account: account, in: connection)) }
    }
    var document: [String: Any] = [
      "format": "onside-account-1", "store": address.issuer, "exported_at": clock.now().ISO8601Format(),
    ]
    for (part, rows) in rows { document[part.name] = rows.map { Self.object($0, without: part.secrets) } }
    return try JSONSerialization.data(
      withJSONObject: document, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
  }

  private static func object(_ row: SQLRow, without secrets: Set<String>) -> [String: Any] {
    let shown = row.fields.filter { !secrets.contains($0.name) }
    return Dictionary(uniqueKeysWithValues: shown.map { ($0.name, json($0.value, isTime: $0.name.hasSuffix("_at"))) })
  }

  private static func json(_ value: SQLValue, isTime: Bool) -> Any {
    switch value {
    case .null: NSNull()
    case .integer(let number) where isTime: Date(millisecondsSince1970: number).ISO8601Format()
    case .integer(let number): number
    case .text(let text): text
    case .blob(let bytes): Base64URL.encode(bytes)
    }
  }
}
