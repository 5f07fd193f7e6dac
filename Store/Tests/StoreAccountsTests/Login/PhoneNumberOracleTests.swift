import OnsideCommerce
import StoreTestSupport
import Testing

@testable import StoreAccounts

/// Compares the parser with PyPI's `phonenumbers` over the example numbers of all plans (`script/phone-numbers`).
@Suite("Phone numbers, compared with phonenumbers", .timeLimit(.minutes(5)))
struct PhoneNumberOracleTests {
  /// A spelling of a number and the answers to it.
  struct Spelling {
    let kind: String
    let region: CountryCode?
    let typed: String
    /// The number that is spelled; another one if the kind is `dialled-there`.
    let number: String
    /// The number that phonenumbers reads; nil for none.
    let answer: String?
    /// The number that the store reads, or its error.
    let result: String
  }

  @Test("ACC-11: all kinds of spellings of all countries' numbers are read as phonenumbers reads them, but eight")
  func spellings() throws {
    let spellings = try Self.spellings()
    let answered = spellings.filter { $0.answer != nil }
    let others = answered.filter { $0.result != $0.answer }.map { "\($0.typed) \($0.result)" }
    #expect(answered.count == 4_604)
    #expect(
      Set(others) == [
        // Read by phonenumbers as numbers whose area code is the country code.
        "468123456 noCountryCode", "4915123456789 noCountryCode", "62812345678 noCountryCode",
        "62218350123 noCountryCode",
        // Ascension's service numbers begin with a zero.
        "+247 040123 tooLong", "+247 (0) 40123 tooLong", "+247 062889 tooLong", "+247 (0) 62889 tooLong",
      ])
  }

  @Test("ACC-11: a zero that no number of the country begins with is deleted where phonenumbers reads no number")
  func zeros() throws {
    let unanswered = try Self.spellings().filter { $0.answer == nil }
    #expect(Set(unanswered.map(\.kind)) == ["bracketed-zero", "trunk-zero"])
    #expect(unanswered.count == 502)
    let others = unanswered.filter { $0.result != $0.number }.map(\.result)
    // A second zero in Italy and in the Vatican, whose fixed lines begin with one.
    #expect(Set(others) == ["+3900212345678", "+3900669812345"])
  }

  @Test("The canonical form of every example number is itself, and that of its number with a trunk zero")
  func canonical() throws {
    for spelling in try Self.spellings() {
      #expect(PhoneNumber.canonical(of: spelling.number) == spelling.number)
      guard spelling.kind == "trunk-zero", spelling.result == spelling.number else { continue }
      let stored = spelling.typed.replacing(" ", with: "")
      #expect(PhoneNumber.canonical(of: stored) == spelling.number, "\(stored)")
    }
  }

  /// The spellings of the fixture, without those for pages of regions that have no code in ISO 3166-1.
  private static func spellings() throws -> [Spelling] {
    var spellings: [Spelling] = []
    var number = ""
    let text = try Repository.text("Store/Tests/StoreAccountsTests/Login/Fixtures/phone-numbers.txt")
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let fields = line.split(separator: ";").map(String.init)
      if fields.count == 1 { number = fields[0] }
      guard fields.count == 4 else { continue }
      let region = CountryCode(alpha2: fields[1])
      guard region != nil || fields[1] == "-" else { continue }
      let answer = fields[3] == "=" ? number : fields[3] == "-" ? nil : fields[3]
      spellings.append(
        Spelling(
          kind: fields[0], region: region, typed: fields[2], number: number, answer: answer,
          result: read(fields[2], region: region)))
    }
    return spellings
  }

  private static func read(_ typed: String, region: CountryCode?) -> String {
    do {
      return try PhoneNumber(parsing: typed, region: region).e164
    } catch {
      return "\(error)"
    }
  }
}
