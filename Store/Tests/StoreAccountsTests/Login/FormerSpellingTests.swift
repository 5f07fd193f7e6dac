import OnsideCommerce
import Testing

@testable import StoreAccounts

@Suite("Former spellings of phone numbers")
struct FormerSpellingTests {
  @Test(
    "ACC-20: the former spellings of a number have its trunk prefixes",
    arguments: [
      ("+447911123456", ["+4407911123456"]), ("+79161234567", ["+709161234567", "+789161234567"]),
      ("+36201234567", ["+360201234567", "+3606201234567"]), ("+390612345678", []),
      (
        "+525512345678",
        ["+5205512345678", "+5215512345678", "+52015512345678", "+520445512345678", "+520455512345678"]
      ),
    ])
  func formerSpellings(e164: String, spellings: [String]) throws {
    let number = try PhoneNumber(parsing: e164)
    #expect(number.formerSpellings == spellings)
  }
}
