public import Foundation

/// An exact amount of money: a whole number of the currency's smallest unit.
public struct Money: Sendable, Hashable {
  /// The amount in the smallest unit of the currency: 499 is 4.99 EUR, 499 JPY, 0.499 KWD.
  public let minorUnits: Int64
  /// The currency of the amount.
  public let currency: Currency

  /// An amount given in the smallest unit of its currency.
  public init(minorUnits: Int64, currency: Currency) {
    self.minorUnits = minorUnits
    self.currency = currency
  }

  /// An amount given in the currency's main unit; nothing is ever rounded.
  ///
  /// Throws `notRepresentable` when it has more decimal places than the currency, `overflow` when it is too large.
  public init(exactly amount: Decimal, currency: Currency) throws(MoneyError) {
    guard !amount.isNaN else { throw .notRepresentable(amount, currency) }
    var scaled = amount * Decimal(sign: .plus, exponent: currency.exponent, significand: 1)
    var whole = Decimal()
    NSDecimalRound(&whole, &scaled, 0, .plain)
    guard whole == scaled else { throw .notRepresentable(amount, currency) }
    // The text of a whole Decimal is plain digits: the one exact way to Int64 that also tells an overflow.
    guard let minorUnits = Int64(whole.description) else { throw .overflow }
    self.init(minorUnits: minorUnits, currency: currency)
  }

  /// Nothing at all, in a currency.
  public static func zero(_ currency: Currency) -> Money { Money(minorUnits: 0, currency: currency) }

  /// The amount in the currency's main unit, exact: 4.99 for 499 minor units of EUR.
  public var decimal: Decimal {
    Decimal(
      sign: minorUnits < 0 ? .minus : .plus, exponent: -currency.exponent, significand: Decimal(minorUnits.magnitude))
  }

  /// The same as text, with all the currency's decimal places: `4.90`.
  public var amount: String {
    let digits = String(minorUnits.magnitude)
    let padded = String(repeating: "0", count: max(0, currency.exponent + 1 - digits.count)) + digits
    let sign = minorUnits < 0 ? "-" : ""
    let fraction = currency.exponent == 0 ? "" : "." + padded.suffix(currency.exponent)
    return "\(sign)\(padded.dropLast(currency.exponent))\(fraction)"
  }

  /// True for an amount of nothing.
  public var isZero: Bool { minorUnits == 0 }

  /// The sum of two amounts of one currency.
  public func adding(_ other: Money) throws(MoneyError) -> Money {
    try combined(with: other) { $0.addingReportingOverflow($1) }
  }

  /// The difference of two amounts of one currency.
  public func subtracting(_ other: Money) throws(MoneyError) -> Money {
    try combined(with: other) { $0.subtractingReportingOverflow($1) }
  }

  /// This amount times a count; throws `overflow` when that is more than an amount can hold.
  public func multiplied(by count: Int) throws(MoneyError) -> Money {
    let (result, overflow) = minorUnits.multipliedReportingOverflow(by: Int64(count))
    guard !overflow else { throw .overflow }
    return Money(minorUnits: result, currency: currency)
  }

  private func combined(
    with other: Money, by operation: (Int64, Int64) -> (partialValue: Int64, overflow: Bool)
  ) throws(MoneyError) -> Money {
    guard currency == other.currency else { throw .currencyMismatch(currency, other.currency) }
    let (result, overflow) = operation(minorUnits, other.minorUnits)
    guard !overflow else { throw .overflow }
    return Money(minorUnits: result, currency: currency)
  }
}

extension Money: Codable {
  private enum CodingKeys: String, CodingKey {
    case minorUnits = "amount"
    case currency
  }
}

extension Money: CustomStringConvertible {
  /// The exact amount and the code, for logs and errors: `4.99 EUR`. For people use `formatted(country:language:)`.
  public var description: String { "\(amount) \(currency.code)" }
}
