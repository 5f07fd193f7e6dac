import Foundation
import OnsideCommerce
import Testing

@Suite(.timeLimit(.minutes(5))) struct StoreKitFileErrorTests {
  @Test(
    "INI-3: a file that cannot be read names path, line, column and what was expected",
    arguments: [
      ("", "Shop.storekit:1:1: expected a value, got the end of the file"),
      ("{\n  \"products\": [\n    1,\n  ]\n}", "Shop.storekit:4:3: expected a value, got \"]\""),
      ("{\n  \"products\" [] }", "Shop.storekit:2:14: expected a colon after the key \"products\", got \"[\""),
      ("{ \"é\": tru }", "Shop.storekit:1:8: expected true, got \"t\""),
      ("{ 'a': 1 }", "Shop.storekit:1:3: expected a key in double quotes, got \"'\""),
      ("{\"a\": 1", "Shop.storekit:1:8: expected a comma or a closing brace, got the end of the file"),
      ("[1 2]", "Shop.storekit:1:4: expected a comma or a closing bracket, got \"2\""),
      ("{} {}", "Shop.storekit:1:4: expected the end of the file, got \"{\""),
      ("[\"abc\n\"]", "Shop.storekit:1:6: expected a closing quote on this line, got the end of the line"),
      ("[\"abc", "Shop.storekit:1:6: expected a closing quote, got the end of the file"),
      ("[01]", "Shop.storekit:1:3: expected a number without leading zeros, got \"1\""),
      ("[1.]", "Shop.storekit:1:4: expected a digit, got \"]\""),
      ("[-]", "Shop.storekit:1:3: expected a digit, got \"]\""),
      ("[\"\\x\"]", #"Shop.storekit:1:4: expected one of the escapes \" \\ \/ \b \f \n \r \t \u, got "x""#),
      ("[\"\\u12g4\"]", "Shop.storekit:1:4: expected four hexadecimal digits, got \"u\""),
      ("[\"\\ud800\"]", "Shop.storekit:1:9: expected the second half of a surrogate pair, got \"\"\""),
      ("[]", "Shop.storekit:1:1: expected an object, got a list"),
      (
        "\n\n  {\"a\": 1}",
        "Shop.storekit:3:3: expected a StoreKit configuration with \"products\" or \"subscriptionGroups\", "
          + "got another kind of file"
      ),
    ])
  func message(json: String, expected: String) {
    let error = #expect(throws: StoreKitFileError.self) {
      try StoreKitConfiguration.decode(Data(json.utf8), path: "Shop.storekit")
    }
    #expect(error?.description == expected)
  }

  @Test(
    "LOC-6: a broken entry stops the reading with path, line, column and what was expected",
    arguments: [
      (#""displayPrice": "-1""#, #"3:19: expected products[0].displayPrice: a price such as "4.99", got "-1""#),
      (#""displayPrice": "abc""#, #"3:19: expected products[0].displayPrice: a price such as "4.99", got "abc""#),
      (
        #""type": "Bundle""#,
        #"3:11: expected products[0].type: Consumable, NonConsumable or NonRenewingSubscription, got "Bundle""#
      ),
      (#""productID": null"#, "3:16: expected products[0].productID: \(Product.identifierRule), got null"),
    ])
  func brokenEntry(replacement: String, expected: String) throws {
    let lines = [#""productID": "a""#, #""type": "Consumable""#, #""displayPrice": "1""#]
    let key = try #require(replacement.split(separator: ":").first)
    let entry = [replacement] + lines.filter { !$0.hasPrefix(key) }
    let json = "{\"products\": [\n{\n  \(entry.joined(separator: ",\n  "))\n}],\n\"version\": {\"major\": 4}}"
    let error = #expect(throws: StoreKitFileError.self) {
      try StoreKitConfiguration.decode(Data(json.utf8), path: "Shop.storekit")
    }
    #expect(error?.localizedDescription == "Shop.storekit:" + expected)
  }

  @Test("LOC-6: an unknown format and a missing identifier stop the reading, too")
  func brokenFile() {
    let files = [
      (
        #"{"products": [], "version": {"major": 9}}"#,
        "1:39: expected version.major: format 3, 4 or 5, got the number 9"
      ),
      (
        #"{"products": [{"type": "Consumable", "displayPrice": "1"}], "version": {"major": 4}}"#,
        "1:15: expected products[0]: \"productID\" with \(Product.identifierRule), got nothing"
      ),
    ]
    for (json, expected) in files {
      let error = #expect(throws: StoreKitFileError.self) {
        try StoreKitConfiguration.decode(Data(json.utf8), path: "Shop.storekit")
      }
      #expect(error?.description == "Shop.storekit:" + expected)
    }
  }

  @Test("INI-3: a file that is no UTF-8 text is refused")
  func notText() {
    let error = #expect(throws: StoreKitFileError.self) {
      try StoreKitConfiguration.decode(Data([0x7B, 0xFF, 0x7D]), path: "Shop.storekit")
    }
    #expect(error?.expected == "text in UTF-8")
  }

  @Test("INI-3: nesting without end is refused, not a crash")
  func nesting() {
    let json = String(repeating: "[", count: 100_000)
    #expect(throws: StoreKitFileError.self) {
      try StoreKitConfiguration.decode(Data(json.utf8), path: "Shop.storekit")
    }
  }

  @Test("LOC-1: a byte order mark, escapes and characters beyond ASCII are read")
  func unicode() throws {
    let json = """
      \u{FEFF}{"products": [{"productID": "\\u0061", "type": "Consumable", "displayPrice": "1",
      "referenceName": "\\u0061\\/\\ud83c\\udf08\\n🌈 \u{2028}"}], "version": {"major": 4, "minor": 0}}
      """
    let configuration = try StoreKitConfiguration.decode(Data(json.utf8), path: "Shop.storekit")
    #expect(configuration.products.map(\.id) == ["a"])
    #expect(configuration.products.map(\.referenceName) == ["a/🌈\n🌈 \u{2028}"])
  }
}
