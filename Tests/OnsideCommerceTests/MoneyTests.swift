import Foundation
import OnsideCommerce
import Testing

@Suite(.timeLimit(.minutes(5))) struct MoneyTests {
  private func decimal(_ text: String) throws -> Decimal { try #require(Decimal(string: text)) }

  @Test(
    "PRD-6: an amount becomes whole minor units of its currency",
    arguments: [
      ("4.99", "EUR", 499), ("499", "JPY", 499), ("0.499", "KWD", 499), ("12.3456", "CLF", 123_456),
      ("-4.99", "EUR", -499), ("0", "USD", 0), ("1.50", "GBP", 150), ("92233720368547758.07", "EUR", Int64.max),
      ("-92233720368547758.08", "EUR", Int64.min), ("9223372036854775807", "JPY", Int64.max),
    ] as [(String, String, Int64)])
  func minorUnits(text: String, code: String, expected: Int64) throws {
    let currency = try #require(Currency(code: code))
    let money = try Money(exactly: decimal(text), currency: currency)
    #expect(money.minorUnits == expected)
    let expectedValue = try decimal(text)
    #expect(money.decimal == expectedValue)
  }

  @Test(
    "STO-3: an amount with too many decimals is refused, never rounded",
    arguments: [("4.999", "EUR"), ("0.5", "JPY"), ("1.0001", "KWD"), ("1.00001", "CLF"), ("1E-30", "EUR")])
  func tooManyDecimals(text: String, code: String) throws {
    let currency = try #require(Currency(code: code))
    let amount = try decimal(text)
    #expect(throws: MoneyError.notRepresentable(amount, currency)) { try Money(exactly: amount, currency: currency) }
  }

  @Test("STO-3: what is no number is refused")
  func notANumber() {
    #expect(throws: MoneyError.self) { try Money(exactly: .nan, currency: .eur) }
  }

  @Test(
    "STO-3: an amount beyond 64 bits is refused",
    arguments: ["92233720368547758.08", "-92233720368547758.09", "1E30", "9E120"])
  func tooLarge(text: String) throws {
    let amount = try decimal(text)
    #expect(throws: MoneyError.overflow) { try Money(exactly: amount, currency: .eur) }
  }

  @Test("STO-3: sums and differences are exact and checked")
  func arithmetic() throws {
    let price = Money(minorUnits: 499, currency: .eur)
    let minorUnits = try price.adding(price).minorUnits
    #expect(minorUnits == 998)
    let secondMinorUnits = try price.subtracting(Money(minorUnits: 500, currency: .eur)).minorUnits
    #expect(secondMinorUnits == -1)
    let dollars = Money(minorUnits: 1, currency: .usd)
    #expect(throws: MoneyError.currencyMismatch(.eur, .usd)) { try price.adding(dollars) }
    #expect(throws: MoneyError.currencyMismatch(.eur, .usd)) { try price.subtracting(dollars) }
    #expect(throws: MoneyError.overflow) { try Money(minorUnits: .max, currency: .eur).adding(price) }
    #expect(throws: MoneyError.overflow) { try Money(minorUnits: .min, currency: .eur).subtracting(price) }
    let product = try price.multiplied(by: 1000)
    #expect(product == Money(minorUnits: 499_000, currency: .eur))
    #expect(throws: MoneyError.overflow) { try Money(minorUnits: .max / 2, currency: .eur).multiplied(by: 3) }
  }

  @Test("money is an amount in minor units and a code in JSON")
  func json() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(Money(minorUnits: 499, currency: .eur))
    #expect(String(decoding: data, as: UTF8.self) == #"{"amount":499,"currency":"EUR"}"#)
    let decoded = try JSONDecoder().decode(Money.self, from: data)
    #expect(decoded == Money(minorUnits: 499, currency: .eur))
  }

  @Test(
    "fractional amounts and unknown currencies in JSON are refused",
    arguments: [
      #"{"amount":4.99,"currency":"EUR"}"#, #"{"amount":499,"currency":"EURO"}"#, #"{"amount":499,"currency":"eur"}"#,
      #"{"amount":9223372036854775808,"currency":"EUR"}"#, #"{"amount":"499","currency":"EUR"}"#,
    ])
  func badJSON(text: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Money.self, from: Data(text.utf8)) }
  }

  @Test(
    "money describes itself exactly",
    arguments: [
      (499, "EUR", "4.99 EUR"), (5, "EUR", "0.05 EUR"), (-5, "KWD", "-0.005 KWD"), (1200, "JPY", "1200 JPY"),
      (0, "CLF", "0.0000 CLF"), (Int64.min, "EUR", "-92233720368547758.08 EUR"),
    ] as [(Int64, String, String)])
  func description(minorUnits: Int64, code: String, expected: String) throws {
    let money = Money(minorUnits: minorUnits, currency: try #require(Currency(code: code)))
    #expect(money.description == expected)
  }
}

@Suite(.timeLimit(.minutes(5))) struct CurrencyTests {
  @Test(
    "PRD-6: currencies have the decimal places of ISO 4217",
    arguments: [
      ("EUR", 2), ("USD", 2), ("JPY", 0), ("KRW", 0), ("ISK", 0), ("UGX", 0), ("XAF", 0), ("HUF", 2), ("IDR", 2),
      ("BHD", 3), ("KWD", 3), ("TND", 3), ("CLP", 0), ("CLF", 4), ("UYW", 4), ("XCG", 2), ("ZWG", 2),
    ])
  func exponent(code: String, expected: Int) {
    #expect(Currency(code: code)?.exponent == expected)
  }

  @Test(
    "what is no active currency is not known",
    arguments: ["eur", "EU", "EURO", "", "XXX", "XAU", "XTS", "XDR", "DEM", "HRK", "BGN", "ANG", "ZWL", "ＥＵＲ"])
  func unknown(code: String) {
    #expect(Currency(code: code) == nil)
  }

  @Test("the table holds 165 currencies, each once")
  func table() {
    #expect(Currency.all.count == 165)
    #expect(Set(Currency.all.map(\.code)).count == Currency.all.count)
    #expect(Currency.all.allSatisfy { $0.code.wholeMatch(of: /[A-Z]{3}/) != nil })
    #expect(Currency.eur == Currency(code: "EUR"))
    #expect(Currency.usd == Currency(code: "USD"))
  }
}
