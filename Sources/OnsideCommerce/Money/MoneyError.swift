public import Foundation

/// Why an amount of money could not be made.
public enum MoneyError: Error, Sendable, Hashable {
  /// The amount has more decimal places than the currency, or is not a number.
  case notRepresentable(Decimal, Currency)
  /// The amount does not fit in 64 bits of minor units.
  case overflow
  /// Two amounts of different currencies met; convert one of them first.
  case currencyMismatch(Currency, Currency)
}

extension MoneyError: CustomStringConvertible {
  /// What was expected and what came.
  public var description: String {
    switch self {
    case .notRepresentable(let amount, let currency):
      "expected an amount with at most \(currency.exponent) decimal places for \(currency), got \(amount)"
    case .overflow:
      "expected an amount that fits in 64 bits of minor units, got a larger one"
    case .currencyMismatch(let expected, let found):
      "expected an amount in \(expected), got one in \(found); convert one of them first"
    }
  }
}
