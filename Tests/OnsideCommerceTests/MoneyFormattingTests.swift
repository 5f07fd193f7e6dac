import OnsideCommerce
import Testing

@Suite(.timeLimit(.minutes(5))) struct MoneyFormattingTests {
  struct Golden: Sendable, CustomTestStringConvertible {
    let language: String
    let country: String
    let currency: String
    let minorUnits: Int64
    let text: String

    init(_ language: String, _ country: String, _ currency: String, _ minorUnits: Int64, _ text: String) {
      self.language = language
      self.country = country
      self.currency = currency
      self.minorUnits = minorUnits
      self.text = text
    }

    var testDescription: String { "\(language) in \(country), \(minorUnits) \(currency)" }
  }

  static let table = [
    Golden("nl", "NL", "EUR", 123456, "€\u{a0}1.234,56"),
    Golden("de", "DE", "EUR", 123456, "1.234,56\u{a0}€"),
    Golden("fr", "FR", "EUR", 123456, "1\u{202f}234,56\u{a0}€"),
    Golden("es", "ES", "EUR", 123456, "1234,56\u{a0}€"),
    Golden("en", "US", "USD", 123456, "$1,234.56"),
    Golden("en", "GB", "GBP", 123456, "£1,234.56"),
    Golden("ja", "JP", "JPY", 123456, "¥123,456"),
    Golden("en", "JP", "JPY", 123456, "¥123,456"),
    Golden("ar", "KW", "KWD", 123456, "\u{200f}١٢٣٫٤٥٦\u{a0}د.ك.\u{200f}"),
    Golden("en", "KW", "KWD", 123456, "KWD\u{a0}123.456"),
    Golden("es", "CL", "CLF", 123456, "CLF\u{a0}12,3456"),
    Golden("en", "CL", "CLF", 123456, "CLF\u{a0}12,3456"),
    Golden("es", "CL", "CLP", 123456, "$123.456"),
    Golden("en", "NL", "EUR", 499, "€\u{a0}4,99"),
    Golden("ar", "NL", "EUR", 499, "\u{200f}4,99\u{a0}€"),
    Golden("it", "IT", "EUR", 123456, "1234,56\u{a0}€"),
    Golden("pt", "PT", "EUR", 123456, "1234,56\u{a0}€"),
    Golden("pt", "BR", "BRL", 123456, "R$\u{a0}1.234,56"),
    Golden("de", "CH", "CHF", 123456, "CHF\u{a0}1’234.56"),
    Golden("fr", "CH", "CHF", 123456, "CHF\u{a0}1\u{202f}234,56"),
    Golden("de", "AT", "EUR", 123456, "€\u{a0}1.234,56"),
    Golden("en", "IE", "EUR", 123456, "€1,234.56"),
    Golden("sv", "SE", "SEK", 123456, "1\u{a0}234,56\u{a0}kr"),
    Golden("nb", "NO", "NOK", 123456, "1\u{a0}234,56\u{a0}kr"),
    Golden("da", "DK", "DKK", 123456, "1.234,56\u{a0}kr."),
    Golden("fi", "FI", "EUR", 123456, "1\u{a0}234,56\u{a0}€"),
    Golden("pl", "PL", "PLN", 123456, "1234,56\u{a0}zł"),
    Golden("cs", "CZ", "CZK", 123456, "1\u{a0}234,56\u{a0}Kč"),
    Golden("hu", "HU", "HUF", 123456, "1234,56\u{a0}Ft"),
    Golden("el", "GR", "EUR", 123456, "1.234,56\u{a0}€"),
    Golden("tr", "TR", "TRY", 123456, "₺1.234,56"),
    Golden("uk", "UA", "UAH", 123456, "1\u{a0}234,56\u{a0}₴"),
    Golden("he", "IL", "ILS", 123456, "\u{200f}1,234.56\u{a0}\u{200f}₪"),
    Golden("hi", "IN", "INR", 12345678, "₹1,23,456.78"),
    Golden("en", "IN", "INR", 12345678, "₹1,23,456.78"),
    Golden("zh-Hans", "CN", "CNY", 123456, "¥1,234.56"),
    Golden("zh-Hant", "TW", "TWD", 123456, "$1,234.56"),
    Golden("ko", "KR", "KRW", 123456, "₩123,456"),
    Golden("vi", "VN", "VND", 123456, "123.456\u{a0}₫"),
    Golden("th", "TH", "THB", 123456, "฿1,234.56"),
    Golden("id", "ID", "IDR", 123456, "Rp1.234,56"),
    Golden("is", "IS", "ISK", 123456, "123.456\u{a0}kr."),
    Golden("ar", "BH", "BHD", -1500, "\u{61c}-\u{200f}١٫٥٠٠\u{a0}د.ب.\u{200f}"),
    Golden("fr", "CA", "CAD", 123456, "1\u{a0}234,56\u{a0}$"),
    Golden("en", "AU", "AUD", 123456, "$1,234.56"),
    Golden("es", "MX", "MXN", 0, "$0.00"),
    // The country decides, not the region of the language.
    Golden("en-US", "NL", "EUR", 499, "€\u{a0}4,99"),
    Golden("de_DE", "CH", "CHF", 123456, "CHF\u{a0}1’234.56"),
    Golden("zh-Hant-HK", "TW", "TWD", 123456, "$1,234.56"),
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
