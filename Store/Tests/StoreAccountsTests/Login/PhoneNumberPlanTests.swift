import OnsideCommerce
import StoreTestSupport
import Testing

@testable import StoreAccounts

@Suite("Phone numbers by numbering plans", .timeLimit(.minutes(5)))
struct PhoneNumberPlanTests {
  @Test(
    "ACC-11: trunk prefixes behind the country code are deleted, so that one number has one form",
    arguments: [
      ("+44 07911 123456", "+447911123456"), ("+44 (0) 7911 123456", "+447911123456"),
      ("0044 (0)7911 123456", "+447911123456"), ("+49 (0)151 23456789", "+4915123456789"),
      ("+49 00151 23456789", "+4915123456789"), ("+31 (0)6 12345678", "+31612345678"),
      ("+7 8 916 123-45-67", "+79161234567"), ("+36 06 20 123 4567", "+36201234567"),
      ("+1 1 202 555 0123", "+12025550123"), ("+48 (0)22 123 45 67", "+48221234567"),
      ("+34 0612 34 56 78", "+34612345678"), ("+370 8 612 34567", "+37061234567"),
      ("+54 11 15 2345-6789", "+5491123456789"), ("+52 1 55 1234 5678", "+525512345678"),
      ("+52 044 55 1234 5678", "+525512345678"), ("+55 0 15 11 96123-4567", "+5511961234567"),
      ("8~10 31 6 12345678", "+31612345678"),
    ])
  func trunkPrefixes(typed: String, e164: String) throws {
    let number = try PhoneNumber(parsing: typed, region: typed.hasPrefix("8") ? CountryCode(alpha2: "RU") : nil)
    #expect(number.e164 == e164)
  }

  @Test(
    "ACC-11: a zero that belongs to the number stays",
    arguments: ["+390612345678", "+393123456789", "+2250123456789", "+242066123456", "+24106031234"])
  func zeros(e164: String) throws {
    let number = try PhoneNumber(parsing: e164)
    #expect(number.e164 == e164)
  }

  @Test(
    "ACC-11: a number is read as it is dialled in the region",
    arguments: [
      ("07911 123456", "GB", "+447911123456"), ("7911 123456", "GB", "+447911123456"),
      ("447911123456", "GB", "+447911123456"), ("020 7946 0958", "GG", "+442079460958"),
      ("(202) 555-0123", "US", "+12025550123"), ("202 555 0123", "JM", "+12025550123"),
      ("06 1234 5678", "IT", "+390612345678"), ("312 345 6789", "IT", "+393123456789"),
      ("011 15-2345-6789", "AR", "+5491123456789"), ("0 15 11 96123-4567", "BR", "+5511961234567"),
      ("044 55 1234 5678", "MX", "+525512345678"), ("8 (916) 123-45-67", "RU", "+79161234567"),
      ("٠١٥١ ٢٣٤٥٦٧٨٩", "DE", "+4915123456789"), ("0712 34 56 78", "RO", "+40712345678"),
    ])
  func national(typed: String, region: String, e164: String) throws {
    let country = try #require(CountryCode(alpha2: region))
    let number = try PhoneNumber(parsing: typed, region: country)
    #expect(number.e164 == e164)
  }

  @Test(
    "ACC-11: the region's own prefix for calls abroad is read, and 00 in every region",
    arguments: [
      ("011 31 6 12345678", "US", "+31612345678"), ("0031 6 12345678", "US", "+31612345678"),
      ("0011 45 3212 3456", "AU", "+4532123456"), ("010 44 7911 123456", "JP", "+447911123456"),
      ("0057 312 3456789", "CO", "+573123456789"), ("0031 6 12345678", "DE", "+31612345678"),
      // An unassigned Dutch number is no German one.
      ("0031 319 123456", "DE", "+31319123456"),
      // An unassigned Danish number is no American one.
      ("0011 45 1912 3456", "AU", "+4519123456"),
      ("+44 7911 123456", "DE", "+447911123456"),
    ])
  func abroad(typed: String, region: String, e164: String) throws {
    let country = try #require(CountryCode(alpha2: region))
    let number = try PhoneNumber(parsing: typed, region: country)
    #expect(number.e164 == e164)
  }

  @Test(
    "ACC-11: a number that is no number of the region, or may be one of two, needs its country code",
    arguments: [
      // A German number on a Dutch page; German behind 00, or Indian behind Singapore's 004; two German numbers;
      // Antarctica, which has no plan.
      ("0151 23456789", "NL"), ("0049 151 23456789", "SG"), ("4915123456789", "DE"), ("0612345678", "AQ"),
    ])
  func undecided(typed: String, region: String) throws {
    let country = try #require(CountryCode(alpha2: region))
    #expect(throws: PhoneNumberError.noCountryCode) { try PhoneNumber(parsing: typed, region: country) }
  }

  @Test(
    "ACC-11: a length that no person's number has is rejected",
    arguments: [
      ("06 1234567", "NL", PhoneNumberError.tooShort), ("06 123456789", "NL", .tooLong), ("555 0123", "US", .tooShort),
      ("+31 6 1234567", "NL", .tooShort), ("+31 6 123456789", "NL", .tooLong), ("+45 612 345 678", "NL", .tooLong),
      ("020 7946 0958 x12", "GB", .unexpected("x")), ("020 7946 0958 #12", "GB", .unexpected("#")),
      ("+800 1234 5678", "NL", .unknownCountryCode("+800")), ("+2100 1234", "NL", .unknownCountryCode("+210")),
      ("1234567890123456789012345678901", "NL", .tooLong),
    ])
  func lengths(typed: String, region: String, error: PhoneNumberError) throws {
    let country = try #require(CountryCode(alpha2: region))
    #expect(throws: error) { try PhoneNumber(parsing: typed, region: country) }
  }

  @Test(
    "ACC-11: unassigned numbers of a possible length are accepted behind their country code",
    arguments: ["+15550100123", "+447700900123", "+31600000000", "+31699999999", "+491000000000"])
  func unassigned(e164: String) throws {
    let number = try PhoneNumber(parsing: e164)
    #expect(number.e164 == e164)
  }

  @Test("A stored number keeps its form, and its canonical form is that of the numbering plans")
  func stored() {
    #expect(PhoneNumber(stored: "+4407911123456")?.e164 == "+4407911123456")
    #expect(PhoneNumber(stored: "+44 7911") == nil)
    #expect(PhoneNumber(stored: "447911123456") == nil)
    #expect(PhoneNumber(stored: "+") == nil)
    #expect(PhoneNumber.canonical(of: "+4407911123456") == "+447911123456")
    #expect(PhoneNumber.canonical(of: "+390612345678") == "+390612345678")
    // Brazil's 900 numbers begin like its prefix 90.
    #expect(PhoneNumber.canonical(of: "+559004984036") == "+559004984036")
    #expect(PhoneNumber.canonical(of: "+9991234567") == "+9991234567")
    #expect(PhoneNumber.canonical(of: "me@example.com") == "me@example.com")
    #expect(PhoneNumber.canonical(of: "+31") == "+31")
  }

  @Test("The canonical form of a canonical form is itself, and a parsed number parses to itself")
  func fixedPoints() throws {
    var random = SplitMix64(seed: 41)
    for _ in 0..<5_000 {
      let prefix = ["", "0", "00", "1", "8", "06", "15"].randomElement(using: &random) ?? ""
      let code = NumberingPlans.all.randomElement(using: &random)?.code ?? ""
      let digits = (0..<Int.random(in: 3...12, using: &random)).map { _ in String(Int.random(in: 0...9, using: &random))
      }
      let stored = "+" + code + prefix + digits.joined()
      let canonical = PhoneNumber.canonical(of: stored)
      #expect(PhoneNumber.canonical(of: canonical) == canonical, "\(stored)")
      guard let number = try? PhoneNumber(parsing: stored) else { continue }
      #expect(number.e164 == canonical)
      let again = try PhoneNumber(parsing: number.e164)
      #expect(again == number)
    }
  }
}
