import Foundation
import OnsideCommerce
import StoreBase

/// The table of prices for present subscribers, which are never changed. Every call runs inside the caller's
/// transaction.
enum RenewalPriceRecords {
  static func insert(
    _ price: RenewalPrice, of product: String, app: String, country: CountryCode, in transaction: StoreTransaction
  ) throws {
    try transaction.execute(
      """
      INSERT INTO renewal_prices(
        id, app_id, product_id, country, amount, currency, valid_from, notice_days, rules, keeps_without_consent, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
      """,
      [
        .text(price.id), .text(app), .text(product), .text(country.alpha2), .integer(price.price.minorUnits),
        .text(price.price.currency.code), .date(price.terms.validFrom), .integer(Int64(price.terms.noticeDays)),
        .text(String(decoding: try JSONEncoder().encode(price.terms.rules), as: UTF8.self)),
        .bool(price.terms.keepsPriceWithoutConsent), .date(price.createdAt),
      ])
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
