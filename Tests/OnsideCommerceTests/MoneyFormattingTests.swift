import OnsideCommerce
import Testing

@Suite(.timeLimit(.minutes(5))) struct MoneyFormattingTests {
  struct Golden: Sendable, CustomTestStringConvertible {
    let language: String
    let country: String
    let currency: String
    let minorUnits: Int64
    let text: String

    init(_ language: String, country: String, currency: String, minorUnits: Int64, text: String) {
      self.language = language
      self.country = country
      self.currency = currency
      self.minorUnits = minorUnits
      self.text = text
    }

    var testDescription: String { "\(language) in \(country), \(minorUnits) \(currency)" }
  }

  static let table = [
    Golden("nl", country: "NL", currency: "EUR", minorUnits: 123456, text: "€\u{a0}1.234,56"),
    Golden("de", country: "DE", currency: "EUR", minorUnits: 123456, text: "1.234,56\u{a0}€"),
    Golden("fr", country: "FR", currency: "EUR", minorUnits: 123456, text: "1\u{202f}234,56\u{a0}€"),
    Golden("es", country: "ES", currency: "EUR", minorUnits: 123456, text: "1234,56\u{a0}€"),
    Golden("en", country: "US", currency: "USD", minorUnits: 123456, text: "$1,234.56"),
    Golden("en", country: "GB", currency: "GBP", minorUnits: 123456, text: "£1,234.56"),
    Golden("ja", country: "JP", currency: "JPY", minorUnits: 123456, text: "¥123,456"),
    Golden("en", country: "JP", currency: "JPY", minorUnits: 123456, text: "¥123,456"),
    Golden("ar", country: "KW", currency: "KWD", minorUnits: 123456, text: "\u{200f}١٢٣٫٤٥٦\u{a0}د.ك.\u{200f}"),
    Golden("en", country: "KW", currency: "KWD", minorUnits: 123456, text: "KWD\u{a0}123.456"),
    Golden("es", country: "CL", currency: "CLF", minorUnits: 123456, text: "CLF\u{a0}12,3456"),
    Golden("en", country: "CL", currency: "CLF", minorUnits: 123456, text: "CLF\u{a0}12,3456"),
    Golden("es", country: "CL", currency: "CLP", minorUnits: 123456, text: "$123.456"),
    Golden("en", country: "NL", currency: "EUR", minorUnits: 499, text: "€\u{a0}4,99"),
    Golden("ar", country: "NL", currency: "EUR", minorUnits: 499, text: "\u{200f}4,99\u{a0}€"),
    Golden("it", country: "IT", currency: "EUR", minorUnits: 123456, text: "1234,56\u{a0}€"),
    Golden("pt", country: "PT", currency: "EUR", minorUnits: 123456, text: "1234,56\u{a0}€"),
    Golden("pt", country: "BR", currency: "BRL", minorUnits: 123456, text: "R$\u{a0}1.234,56"),
    Golden("de", country: "CH", currency: "CHF", minorUnits: 123456, text: "CHF\u{a0}1’234.56"),
    Golden("fr", country: "CH", currency: "CHF", minorUnits: 123456, text: "CHF\u{a0}1\u{202f}234,56"),
    Golden("de", country: "AT", currency: "EUR", minorUnits: 123456, text: "€\u{a0}1.234,56"),
    Golden("en", country: "IE", currency: "EUR", minorUnits: 123456, text: "€1,234.56"),
    Golden("sv", country: "SE", currency: "SEK", minorUnits: 123456, text: "1\u{a0}234,56\u{a0}kr"),
    Golden("nb", country: "NO", currency: "NOK", minorUnits: 123456, text: "1\u{a0}234,56\u{a0}kr"),
    Golden("da", country: "DK", currency: "DKK", minorUnits: 123456, text: "1.234,56\u{a0}kr."),
    Golden("fi", country: "FI", currency: "EUR", minorUnits: 123456, text: "1\u{a0}234,56\u{a0}€"),
    Golden("pl", country: "PL", currency: "PLN", minorUnits: 123456, text: "1234,56\u{a0}zł"),
    Golden("cs", country: "CZ", currency: "CZK", minorUnits: 123456, text: "1\u{a0}234,56\u{a0}Kč"),
    Golden("hu", country: "HU", currency: "HUF", minorUnits: 123456, text: "1234,56\u{a0}Ft"),
    Golden("el", country: "GR", currency: "EUR", minorUnits: 123456, text: "1.234,56\u{a0}€"),
    Golden("tr", country: "TR", currency: "TRY", minorUnits: 123456, text: "₺1.234,56"),
    Golden("uk", country: "UA", currency: "UAH", minorUnits: 123456, text: "1\u{a0}234,56\u{a0}₴"),
    Golden("he", country: "IL", currency: "ILS", minorUnits: 123456, text: "\u{200f}1,234.56\u{a0}\u{200f}₪"),
    Golden("hi", country: "IN", currency: "INR", minorUnits: 12345678, text: "₹1,23,456.78"),
    Golden("en", country: "IN", currency: "INR", minorUnits: 12345678, text: "₹1,23,456.78"),
    Golden("zh-Hans", country: "CN", currency: "CNY", minorUnits: 123456, text: "¥1,234.56"),
    Golden("zh-Hant", country: "TW", currency: "TWD", minorUnits: 123456, text: "$1,234.56"),
    Golden("ko", country: "KR", currency: "KRW", minorUnits: 123456, text: "₩123,456"),
    Golden("vi", country: "VN", currency: "VND", minorUnits: 123456, text: "123.456\u{a0}₫"),
    Golden("th", country: "TH", currency: "THB", minorUnits: 123456, text: "฿1,234.56"),
    Golden("id", country: "ID", currency: "IDR", minorUnits: 123456, text: "Rp1.234,56"),
    Golden("is", country: "IS", currency: "ISK", minorUnits: 123456, text: "123.456\u{a0}kr."),
    Golden("ar", country: "BH", currency: "BHD", minorUnits: -1500, text: "\u{61c}-\u{200f}١٫٥٠٠\u{a0}د.ب.\u{200f}"),
    Golden("fr", country: "CA", currency: "CAD", minorUnits: 123456, text: "1\u{a0}234,56\u{a0}$"),
    Golden("en", country: "AU", currency: "AUD", minorUnits: 123456, text: "$1,234.56"),
    Golden("es", country: "MX", currency: "MXN", minorUnits: 0, text: "$0.00"),
    // The country decides, not the region of the language.
    Golden("en-US", country: "NL", currency: "EUR", minorUnits: 499, text: "€\u{a0}4,99"),
    Golden("de_DE", country: "CH", currency: "CHF", minorUnits: 123456, text: "CHF\u{a0}1’234.56"),
    Golden("zh-Hant-HK", country: "TW", currency: "TWD", minorUnits: 123456, text: "$1,234.56"),
  ]

  @Test("PRD-6: prices read as people of the country write them", arguments: table)
  func golden(_ golden: Golden) throws {
    let currency = try #require(Currency(code: golden.currency))
    let country = try #require(CountryCode(alpha2: golden.country))
    let text = Money(minorUnits: golden.minorUnits, currency: currency)
      .formatted(country: country, language: golden.language)
    #expect(text == golden.text)
  }
}
