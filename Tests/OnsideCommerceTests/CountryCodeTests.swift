import Foundation
import OnsideCommerce
import Testing

@Suite(.timeLimit(.minutes(5))) struct CountryCodeTests {
  @Test("every country has both codes, and a currency")
  func table() {
    #expect(CountryCode.all.count == 249)
    #expect(Set(CountryCode.all.map(\.alpha3)).count == 249)
    for country in CountryCode.all {
      #expect(CountryCode(alpha2: country.alpha2) == country)
      #expect(CountryCode(alpha3: country.alpha3) == country)
      #expect(Currency(code: country.currency.code) == country.currency)
    }
    #expect(CountryCode.all == CountryCode.all.sorted())
  }

  @Test(
    "STF-5: codes are strict: two upper-case letters of ISO 3166-1",
    arguments: ["nl", "Nl", " NL", "NLD", "", "XX", "XK", "UK", "EU", "N", "ＮＬ"])
  func strict(code: String) {
    #expect(CountryCode(alpha2: code) == nil)
  }

  @Test(
    "STF-3: a hint is trimmed and upper-cased",
    arguments: [("nl", "NL"), (" NL\n", "NL"), ("\tgb ", "GB"), ("Us", "US")])
  func hint(text: String, expected: String) {
    #expect(CountryCode(hint: text)?.alpha2 == expected)
  }

  @Test("STF-3: a hint that is no country is ignored", arguments: ["", "  ", "NLD", "Netherlands", "n l", "ıE", "ß"])
  func badHint(text: String) {
    #expect(CountryCode(hint: text) == nil)
  }

  @Test(
    "LOC-2: three-letter codes are mapped to two letters",
    arguments: [
      ("NLD", "NL", "EUR"), ("USA", "US", "USD"), ("JPN", "JP", "JPY"), ("GBR", "GB", "GBP"),
      ("CHE", "CH", "CHF"), ("KWT", "KW", "KWD"), ("BGR", "BG", "EUR"), ("CUW", "CW", "XCG"),
    ])
  func alpha3(alpha3: String, alpha2: String, currency: String) {
    let country = CountryCode(alpha3: alpha3)
    #expect(country?.alpha2 == alpha2)
    #expect(country?.currency.code == currency)
  }

  @Test("three-letter codes are strict", arguments: ["nld", "NL", "XXX", ""])
  func badAlpha3(code: String) {
    #expect(CountryCode(alpha3: code) == nil)
  }

  @Test("countries have names in Dutch, German and English")
  func names() {
    #expect(CountryCode.netherlands.localizedName(language: "nl") == "Nederland")
    #expect(CountryCode.netherlands.localizedName(language: "de-AT") == "Niederlande")
    #expect(CountryCode.unitedStates.localizedName(language: "en_GB") == "United States")
  }

  @Test("a dictionary by country is a JSON object")
  func json() throws {
    let prices: [CountryCode: Int] = [.netherlands: 1]
    let data = try JSONEncoder().encode(prices)
    #expect(String(decoding: data, as: UTF8.self) == #"{"NL":1}"#)
    let decoded = try JSONDecoder().decode([CountryCode: Int].self, from: data)
    #expect(decoded == prices)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([CountryCode: Int].self, from: Data(#"{"nl":1}"#.utf8))
    }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([CountryCode].self, from: Data(#"["ZZ"]"#.utf8)) }
  }
}
