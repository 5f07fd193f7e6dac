import OnsideCommerce
import Testing

@testable import StoreAccounts
@testable import StoreWeb

@Suite("Phone numbers", .timeLimit(.minutes(5)))
struct PhoneNumberTests {
  @Test(
    "ACC-11: a number is read however it is written",
    arguments: [
      ("+31612345689", "+31612345689"), ("+31 6 1234 5689", "+31612345689"), ("0031-6-12345689", "+31612345689"),
      ("  +31.6.12.34.56.89 ", "+31612345689"), ("+44 (0)20 7946 0958", "+442079460958"),
      ("+1 (202) 555-0123", "+12025550123"), ("＋３１６１２３４５６８９", "+31612345689"), ("+٣١٦١٢٣٤٥٦٨٩", "+31612345689"),
      ("\u{202A}+49 151 23456789\u{202C}", "+4915123456789"), ("+ 33 6 12 34 56 78", "+33612345678"),
      ("+31\u{00A0}6\u{2011}12345689", "+31612345689"),
    ])
  func forgiving(typed: String, e164: String) throws {
    let actualE164 = try PhoneNumber(parsing: typed).e164
    #expect(actualE164 == e164)
  }

  @Test(
    "ACC-11: anything else is named",
    arguments: [
      ("", PhoneNumberError.empty), ("  - ", .empty), ("0612345689", .noCountryCode), ("612345689", .noCountryCode),
      ("+", .empty), ("00", .tooShort), ("+9991234567", .unknownCountryCode("+999")), ("+31 6 123", .tooShort),
      ("+1 202 555 012", .tooShort), ("+1 202 555 01234", .tooLong), ("+3161234567891234", .tooLong),
      ("+31 6 1234 567x", .unexpected("x")), ("+31+612345689", .unexpected("+")), ("me@example.com", .unexpected("m")),
      ("+31612345689;ext=1", .unexpected(";")), ("+31\u{0}612345689", .unexpected("\u{0}")),
    ])
  func named(typed: String, error: PhoneNumberError) {
    #expect(throws: error) { try PhoneNumber(parsing: typed) }
  }

  @Test(
    "ACC-17: the country comes from the dialling code, area codes included",
    arguments: [
      ("+31612345689", "NL"), ("+12025550123", "US"), ("+14165550123", "CA"), ("+18095550123", "DO"),
      ("+18765550123", "JM"), ("+77012345678", "KZ"), ("+79161234567", "RU"), ("+447700900123", "GB"),
      ("+447781123456", "GG"), ("+441534123456", "JE"), ("+390612345678", "IT"), ("+3906698123456", "VA"),
      ("+4791234567", "NO"), ("+4779123456", "SJ"), ("+971501234567", "AE"), ("+8613812345678", "CN"),
      ("+5511912345678", "BR"), ("+85291234567", "HK"),
    ])
  func country(e164: String, alpha2: String) throws {
    let actualAlpha2 = try PhoneNumber(parsing: e164).country?.alpha2
    #expect(actualAlpha2 == alpha2)
  }

  @Test("A number without a country of ISO 3166-1 is a number all the same")
  func kosovo() throws {
    let phone = try PhoneNumber(parsing: "+383 44 123 456")
    #expect(phone.country == nil)
    #expect(phone.e164 == "+38344123456")
  }

  @Test("Every country but six has a dialling code")
  func diallingCodes() throws {
    #expect(DiallingCodes.code(of: .netherlands) == "31")
    #expect(DiallingCodes.code(of: .unitedStates) == "1")
    let canada = try #require(CountryCode(alpha2: "CA"))
    #expect(DiallingCodes.code(of: canada) == "1")
    let without = CountryCode.all.filter { DiallingCodes.code(of: $0) == nil }.map(\.alpha2)
    // Uninhabited, or reached by another country's code.
    #expect(without.sorted() == ["BV", "GS", "HM", "PN", "TF", "UM"])
  }

  @Test("SEC-1: printing a number shows its last two digits only")
  func redacted() throws {
    let phone = try PhoneNumber(parsing: "+31612345689")
    var dumped = ""
    dump(phone, to: &dumped)
    for text in ["\(phone)", String(reflecting: phone), dumped] {
      #expect(text.contains("89"))
      #expect(!text.contains("1234"))
    }
    #expect(phone.spaced == "+31\u{00A0}612\u{00A0}345\u{00A0}689")
  }

  @Test("Neighbours in a network share a prefix")
  func networks() {
    #expect(NetworkPrefix.of("203.0.113.7") == NetworkPrefix.of("203.0.113.250"))
    #expect(NetworkPrefix.of("203.0.113.7") != NetworkPrefix.of("203.0.114.7"))
    #expect(NetworkPrefix.of("::ffff:203.0.113.7") == "203.0.113")
    #expect(NetworkPrefix.of("2001:db8:1:2::1") == NetworkPrefix.of("2001:db8:1:ffff::9"))
    #expect(NetworkPrefix.of("2001:db8:1::1") != NetworkPrefix.of("2001:db8:2::1"))
    #expect(NetworkPrefix.of("::1") == NetworkPrefix.of("::1"))
  }
}
