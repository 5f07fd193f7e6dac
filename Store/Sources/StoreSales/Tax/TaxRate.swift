public import Foundation
public import OnsideCommerce

/// The standard rate of value added tax (or another tax that prices include) of a country, from a day on.
public struct TaxRate: Sendable, Hashable {
  /// The country.
  public let country: CountryCode
  /// The rate in hundredths of a percent: 2550 is 25.5 %. From 0 to 10,000.
  public let basisPoints: Int64
  /// The first day of the rate in the country: `2024-09-01`.
  public let firstDay: String
  /// The identifier of the time zone in which that day begins: `Europe/Helsinki`.
  public let timeZone: String
  /// The moment at which that day begins.
  public let validFrom: Date
  /// Who says so, and when: a law, a table.
  public let source: String

  /// A rate. Throws ``TaxRateError`` for a rate, day or time zone that cannot be.
  public init(
    country: CountryCode, basisPoints: Int64, firstDay: String, timeZone: String = "UTC", source: String
  ) throws(TaxRateError) {
    guard Self.range.contains(basisPoints) else { throw .rate(basisPoints, country) }
    guard let zone = TimeZone(identifier: timeZone) else { throw .timeZone(timeZone, country) }
    let style = Date.ISO8601FormatStyle(timeZone: zone).year().month().day()
    guard let start = try? style.parse(firstDay), start.ISO8601Format(style) == firstDay else {
      throw .day(firstDay, country)
    }
    guard !source.isEmpty else { throw .source(country) }
    self.country = country
    self.basisPoints = basisPoints
    self.firstDay = firstDay
    self.timeZone = timeZone
    validFrom = start
    self.source = source
  }

  /// The rates that can be. The upper bound keeps the products of ``tax(in:basisPoints:)`` within 64 bits.
  static let range: ClosedRange<Int64> = 0...10_000

  /// A rate for people: `25.5 %`.
  package static func percent(_ basisPoints: Int64) -> String {
    let (whole, rest) = basisPoints.quotientAndRemainder(dividingBy: 100)
    let digits = rest == 0 ? "" : rest % 10 == 0 ? ".\(rest / 10)" : ".\(rest < 10 ? "0" : "")\(rest)"
    return "\(whole)\(digits) %"
  }

  /// The tax that a price includes: price × rate ÷ (1 + rate), rounded to the nearest smallest unit, half a unit up.
  /// What is left of the price is the net amount, so that both always add up to it.
  static func tax(in price: Money, basisPoints: Int64) -> Money {
    let whole = 10_000 + basisPoints
    // Split, so that no amount can overflow; the reconciliation's SQL computes the same.
    let (parts, rest) = price.minorUnits.quotientAndRemainder(dividingBy: whole)
    return Money(
      minorUnits: parts * basisPoints + (rest * basisPoints * 2 + whole) / (2 * whole), currency: price.currency)
  }
}

/// Why a tax rate cannot be.
public enum TaxRateError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The rate is negative or more than 100 %.
  case rate(Int64, CountryCode)
  /// The time zone is none.
  case timeZone(String, CountryCode)
  /// The day is none.
  case day(String, CountryCode)
  /// The source is missing.
  case source(CountryCode)

  /// What was expected and what came.
  public var description: String {
    switch self {
    case .rate(let points, let country):
      "\(country): expected basis_points from 0 to 10000 (hundredths of a percent), got \(points)"
    case .timeZone(let name, let country): "\(country): expected a time_zone such as Europe/Helsinki, got \"\(name)\""
    case .day(let day, let country): "\(country): expected valid_from as a day such as 2024-09-01, got \"\(day)\""
    case .source(let country): "\(country): expected the source of the rate, got none"
    }
  }
}
