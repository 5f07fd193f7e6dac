import Foundation
import OnsideCommerce
import StoreBase

/// The tables of tax rates, and of how orders were taxed. Every call runs inside the caller's transaction.
package enum TaxRecords {
  /// The rate of a country at a time; nil when none is known.
  static func basisPoints(in country: CountryCode, at date: Date, in connection: any SQLConnection) throws -> Int64? {
    try connection.row(
      "SELECT basis_points FROM tax_rates WHERE country = $1 AND valid_from <= $2 ORDER BY valid_from DESC LIMIT 1",
      [.text(country.alpha2), .date(date)]
    )?.integer("basis_points")
  }

  /// Every rate, by country and time.
  static func rates(in connection: any SQLConnection) throws -> [TaxRate] {
    try connection.rows("SELECT * FROM tax_rates ORDER BY country, valid_from").map { row in
      try TaxRate(
        country: try row.country("country"), basisPoints: try row.integer("basis_points"),
        firstDay: try row.text("first_day"), timeZone: try row.text("time_zone"), source: try row.text("source"))
    }
  }

  /// Writes a rate; one that began at the same moment is replaced.
  static func save(_ rate: TaxRate, in transaction: StoreTransaction) throws {
    try transaction.execute(
      """
      INSERT INTO tax_rates(country, valid_from, basis_points, first_day, time_zone, source)
      VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT(country, valid_from) DO UPDATE SET
        basis_points = excluded.basis_points, first_day = excluded.first_day, time_zone = excluded.time_zone,
        source = excluded.source
      """,
      [
        .text(rate.country.alpha2), .date(rate.validFrom), .integer(rate.basisPoints), .text(rate.firstDay),
        .text(rate.timeZone), .text(rate.source),
      ])
  }

  /// How an order was taxed; nil for one that was not paid, or was paid before the store kept it.
  static func tax(of order: UUID, in connection: any SQLConnection) throws -> OrderTax? {
    try connection.row("SELECT * FROM order_taxes WHERE order_id = $1", [.text(order.lowercase)]).map { row in
      OrderTax(
        country: try row.country("country"), basisPoints: try row.optionalInteger("basis_points"),
        evidence: LocationEvidence(
          number: try row.optionalText("number_country").flatMap(CountryCode.init(alpha2:)),
          card: try row.optionalText("card_country").flatMap(CountryCode.init(alpha2:)),
          network: try row.optionalText("network_country").flatMap(CountryCode.init(alpha2:))))
    }
  }

  /// Writes how an order was taxed.
  static func insert(_ tax: OrderTax, of order: UUID, in transaction: StoreTransaction) throws {
    try transaction.execute(
      """
      INSERT INTO order_taxes(order_id, country, basis_points, number_country, card_country, network_country, is_weak)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      """,
      [
        .text(order.lowercase), .text(tax.country.alpha2), tax.basisPoints.map { .integer($0) } ?? .null,
        .text(tax.evidence.number?.alpha2), .text(tax.evidence.card?.alpha2), .text(tax.evidence.network?.alpha2),
        .bool(tax.evidence.isWeak(for: tax.country)),
      ])
  }
}
