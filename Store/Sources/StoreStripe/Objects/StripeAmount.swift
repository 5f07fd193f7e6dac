package import OnsideCommerce
import StorePayments

/// An amount as Stripe writes it: mostly the currency's smallest unit, with exceptions that Stripe lists.
package struct StripeAmount: Sendable, Hashable {
  /// Why an amount cannot be charged with Stripe.
  struct Unrepresentable: Error, Hashable, CustomStringConvertible {
    let amount: Money

    var description: String {
      "expected an amount that Stripe can charge in \(amount.currency.code), got \(amount.plainText)"
    }
  }

  let value: Int64
  /// Lower case.
  let currency: String

  /// - Throws: ``Unrepresentable`` when the amount is more exact than Stripe's, or too large.
  init(_ money: Money) throws(Unrepresentable) {
    let places = Self.places(money.currency)
    var value = money.minorUnits
    for _ in 0..<max(0, places - money.currency.exponent) {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      guard !overflow else { throw Unrepresentable(amount: money) }
      value = product
    }
    for _ in 0..<max(0, money.currency.exponent - places) {
      guard value % 10 == 0 else { throw Unrepresentable(amount: money) }
      value /= 10
    }
    guard value % Self.step(money.currency) == 0 else { throw Unrepresentable(amount: money) }
    self.value = value
    currency = money.currency.code.lowercased()
  }

  /// The money of an amount of Stripe's; nil for a currency that the store does not know, or a fraction of its smallest
  /// unit.
  static func money(_ value: Int64, currency code: String) -> Money? {
    guard let currency = Currency(code: code.uppercased()) else { return nil }
    var value = value
    let places = places(currency)
    for _ in 0..<max(0, places - currency.exponent) {
      guard value % 10 == 0 else { return nil }
      value /= 10
    }
    for _ in 0..<max(0, currency.exponent - places) {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      guard !overflow else { return nil }
      value = product
    }
    return Money(minorUnits: value, currency: currency)
  }

  /// The step of Stripe's amounts of a currency, in the currency's smallest unit.
  package static func minorUnits(ofStepIn currency: Currency) -> Int64 {
    var units = step(currency)
    for _ in 0..<max(0, places(currency) - currency.exponent) where units % 10 == 0 { units /= 10 }
    for _ in 0..<max(0, currency.exponent - places(currency)) { units *= 10 }
    return units
  }

  /// The reason Stripe rejects an amount, or nil, as for 0, which is not charged. Stripe's minimum charge is that of
  /// the currency in which the account is settled: docs.stripe.com/currencies, "Minimum and maximum charge amounts".
  package static func problem(of money: Money) -> String? {
    guard !money.isZero else { return nil }
    guard let amount = try? StripeAmount(money) else {
      return
        "expected a multiple of \(Money(minorUnits: minorUnits(ofStepIn: money.currency), currency: money.currency))"
    }
    let minimum = minimumCharge(in: money.currency)
    guard amount.value < minimum, let minimum = Self.money(minimum, currency: amount.currency) else { return nil }
    return "expected \(minimum) or more"
  }

  /// The minimum charge of a currency, in Stripe's unit; 0 for a currency that Stripe's table lacks.
  private static func minimumCharge(in currency: Currency) -> Int64 {
    switch currency.code {
    case "AUD", "BRL", "CAD", "CHF", "EUR", "INR", "JPY", "KRW", "NZD", "SGD", "USD": 50
    case "GBP": 30
    case "BGN": 100
    case "AED", "MYR", "PLN", "RON": 200
    case "DKK": 250
    case "NOK", "SEK": 300
    case "HKD": 400
    case "MXN", "THB": 1000
    case "CZK": 1500
    case "HUF": 17_500
    default: 0
    }
  }

  /// How many decimal places Stripe's amounts have: docs.stripe.com/currencies, "zero-decimal" and "special cases".
  private static func places(_ currency: Currency) -> Int {
    switch currency.code {
    case "BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF": 0
    case "BHD", "JOD", "KWD", "OMR", "TND": 3
    default: 2
    }
  }

  /// The step of Stripe's amounts, in Stripe's unit: its networks round the last place of these currencies.
  private static func step(_ currency: Currency) -> Int64 {
    switch currency.code {
    case "BHD", "JOD", "KWD", "OMR", "TND": 10
    case "ISK", "UGX": 100
    default: 1
    }
  }
}
