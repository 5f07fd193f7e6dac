import Foundation
import OnsideCommerce
import StoreBase

/// The table of prices for present subscribers, which are never changed. Every call runs inside the caller's
/// transaction.
enum RenewalPriceRecords {
  static func insert(
    _ price: RenewalPrice, of product: String, app: String, country: CountryCode, in transaction: StoreTransaction
  ) throws {
    let rules = String(decoding: try JSONEncoder().encode(price.terms.rules), as: UTF8.self)
    try RenewalPriceColumns(price: price, rules: rules, product: product, app: app, country: country)
      .insert(in: transaction)
  }

  static func price(_ id: String, in connection: any SQLConnection) throws -> RenewalPrice? {
    try connection.row("SELECT * FROM renewal_prices WHERE id = $1", [.text(id)]).map(RenewalPrice.init)
  }

  /// The terms of the price that a change announces; nil for a change from before migration 334.
  static func terms(of change: PriceChange, in connection: any SQLConnection) throws -> RenewalPriceTerms? {
    try change.renewalPrice.flatMap { try price($0, in: connection)?.terms }
  }

  /// The newest price of a product in a country that is valid at a moment.
  static func newest(
    of product: String, app: String, country: CountryCode, validAt moment: Date, in connection: any SQLConnection
  ) throws -> RenewalPrice? {
    try connection.row(
      """
      SELECT * FROM renewal_prices WHERE app_id = $1 AND product_id = $2 AND country = $3 AND valid_from <= $4
      ORDER BY created_at DESC, id DESC LIMIT 1
      """, [.text(app), .text(product), .text(country.alpha2), .date(moment)]
    ).map(RenewalPrice.init)
  }
}

extension RenewalPrice {
  fileprivate init(_ row: SQLRow) throws {
    let rules = try row.optionalText("rules").map {
      try JSONDecoder().decode(PriceRiseRules.self, from: Data($0.utf8))
    }
    self.init(
      id: try row.text("id"),
      price: Money(minorUnits: try row.integer("amount"), currency: try row.currency("currency")),
      terms: RenewalPriceTerms(
        validFrom: try row.date("valid_from"), noticeDays: Int(try row.integer("notice_days")),
        rules: rules ?? .standard,
        keepsPriceWithoutConsent: try row.integer("keeps_without_consent") != 0),
      createdAt: try row.date("created_at"))
  }
}

/// The columns of a price for present subscribers.
private struct RenewalPriceColumns: TableRecord {
  static let table = "renewal_prices"
  let price: RenewalPrice
  /// JSON.
  let rules: String
  let product: String
  let app: String
  let country: CountryCode

  var key: Columns { ["id": .text(price.id)] }

  var fixed: Columns {
    [
      "app_id": .text(app),
      "product_id": .text(product),
      "country": .text(country.alpha2),
      "amount": .integer(price.price.minorUnits),
      "currency": .text(price.price.currency.code),
      "valid_from": .date(price.terms.validFrom),
      "notice_days": .integer(price.terms.noticeDays),
      "rules": .text(rules),
      "keeps_without_consent": .bool(price.terms.keepsPriceWithoutConsent),
      "created_at": .date(price.createdAt),
    ]
  }
}
