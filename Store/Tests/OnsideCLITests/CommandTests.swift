import Foundation
import GRDB
import OnsideCommerce
import StoreTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CommandTests {
  private let onside: Program

  init() throws { onside = try Program() }

  private static let lumen = """
    {
      "products": [
        { "productID": "gold", "type": "Consumable", "displayPrice": "0.99", "referenceName": "Gold", "weird": 3,
          "localizations": [{ "locale": "nl", "displayName": "Goud", "description": "" }] }
      ],
      "settings": { "_storefront": "NLD" },
      "subscriptionGroups": [],
      "version": { "major": 4, "minor": 0 }
    }
    """

  private func imported() async throws {
    try onside.folder.write("lumen.storekit", text: Self.lumen)
    let outcome = try await onside.run("import", "lumen.storekit", "--app", "io.example.lumen", "--name", "Lumen")
    try #require(outcome.status == 0, "\(outcome.errors)")
  }

  @Test("A .storekit file is imported: the app is registered and what was ignored is listed")
  func importing() async throws {
    try onside.folder.write("lumen.storekit", text: Self.lumen)
    let outcome = try await onside.run("import", "lumen.storekit", "--app", "io.example.lumen", "--name", "Lumen")
    #expect(outcome.status == 0)
    #expect(outcome.output == "ignored  products[0].weird\nio.example.lumen now sells 1 product in 1 country.\n")
    let shown = try await onside.run("app", "show", "io.example.lumen")
    #expect(shown.output.contains("\"Lumen\""))
    #expect(shown.output.contains("http://127.0.0.1/callback"))
    #expect(shown.output.contains("gold"))
  }

  @Test("Importing again keeps the app's name and redirects unless they are given")
  func importingAgain() async throws {
    try await imported()
    _ = try await onside.run(
      "import", "lumen.storekit", "--app", "io.example.lumen", "--redirect", "https://a.example/b")
    let shown = try await onside.run("app", "show", "io.example.lumen")
    #expect(shown.output.contains("\"Lumen\""))
    #expect(shown.output.contains("redirect  https://a.example/b\n"))
    #expect(!shown.output.contains("127.0.0.1"))
  }

  @Test("ACC-7: the callback scheme of an app is registered as the address that the SDK uses, beside the others")
  func callbackScheme() async throws {
    try await imported()
    let added = try await onside.run("app", "add", "io.example.lumen", "--callback-scheme", "io.example.lumen.auth")
    #expect(added.output.contains("  io.example.lumen.auth://onside\n"))
    #expect(added.output.contains("  http://127.0.0.1/callback\n"))
    let refused = try await onside.run("app", "add", "io.example.lumen", "--callback-scheme", "onside")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("got \"onside://onside\""))
  }

  @Test("A broken .storekit file is named with line, column and what was expected, and nothing is made of it")
  func brokenFile() async throws {
    try onside.folder.write("bad.storekit", text: "{\n  \"products\": [\n    oops\n")
    let outcome = try await onside.run("import", "bad.storekit", "--app", "io.example.lumen")
    #expect(outcome.status == 1)
    #expect(outcome.errors == "Error: bad.storekit:3:5: expected a value, got \"o\"\n")
    #expect(!FileManager.default.fileExists(atPath: onside.folder.file("onside.sqlite")))
  }

  @Test(
    "LOC-6: a broken product stops an import with its line, and nothing is made of the file",
    arguments: [
      ("\"0.99\"", "\"-1\"", "products[0].displayPrice: a price such as \"4.99\", got \"-1\""),
      (
        "\"Consumable\"", "\"Bundle\"",
        "products[0].type: Consumable, NonConsumable or NonRenewingSubscription, got \"Bundle\""
      ),
      ("\"NLD\"", "\"NL\"", "settings._storefront: an ISO 3166-1 alpha-3 code such as \"NLD\", got \"NL\""),
    ])
  func brokenProduct(text: String, replacement: String, expected: String) async throws {
    let broken = Self.lumen.replacing(text, with: replacement)
    let line = broken[..<(try #require(broken.firstRange(of: replacement)).lowerBound)].count { $0 == "\n" } + 1
    try onside.folder.write("bad.storekit", text: broken)
    let outcome = try await onside.run("import", "bad.storekit", "--app", "io.example.lumen")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("Error: bad.storekit:\(line):"), "\(outcome.errors)")
    #expect(outcome.errors.contains("expected \(expected)\nNothing was imported"), "\(outcome.errors)")
    #expect(outcome.errors.contains("--skip-invalid"))
    #expect(!FileManager.default.fileExists(atPath: onside.folder.file("onside.sqlite")))
  }

  @Test("LOC-6: with --skip-invalid the other products are imported, and the broken one is listed")
  func skipInvalid() async throws {
    let group = """
      [{"id": "g", "subscriptions": [{"productID": "pro", "displayPrice": "3.99", \
      "recurringSubscriptionPeriod": "P1Q"}]}]
      """
    try onside.folder.write(
      "bad.storekit", text: Self.lumen.replacing("\"subscriptionGroups\": []", with: "\"subscriptionGroups\": \(group)")
    )
    let stopped = try await onside.run("import", "bad.storekit", "--app", "io.example.lumen")
    #expect(stopped.status == 1 && stopped.errors.contains("recurringSubscriptionPeriod: an ISO 8601 duration"))
    let outcome = try await onside.run("import", "bad.storekit", "--app", "io.example.lumen", "--skip-invalid")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("subscriptions[0].recurringSubscriptionPeriod: expected an ISO 8601 duration"))
    #expect(outcome.output.hasSuffix("io.example.lumen now sells 1 product in 1 country.\n"))
  }

  @Test(
    "LOC-6: with --skip-invalid a file of an unknown storefront sells the products of the price list alone",
    arguments: ["\"XKS\"", "\"GBP\"", "1"])
  func unknownStorefront(code: String) async throws {
    let file = Self.lumen.replacing("\"NLD\"", with: code).replacing(
      "\"subscriptionGroups\": []",
      with: """
        "subscriptionGroups": [{"id": "g", "subscriptions": [{"productID": "pro", "displayPrice": "3.99",
          "recurringSubscriptionPeriod": "P1M"}]}]
        """)
    try onside.folder.write("x.storekit", text: file)
    let words = ["import", "x.storekit", "--app", "a.b", "--skip-invalid"]
    let skipped = try await onside.run(words)
    #expect(skipped.output.contains("ignored  products[0].displayPrice: expected a price in a known storefront"))
    #expect(skipped.output.hasSuffix("a.b now sells 0 products in 0 countries.\n"), "\(skipped)")
    try onside.folder.write("prices.json", text: #"{"products": {"pro": {"NL": {"amount": 399, "currency": "EUR"}}}}"#)
    let priced = try await onside.run(words + ["--prices", "prices.json"])
    #expect(priced.output.hasSuffix("a.b now sells 1 product in 1 country.\n"), "\(priced)")
    let shown = try await onside.run("app", "show", "a.b").output
    #expect(shown.hasSuffix("NAME\npro      AUTO_RENEWABLE_SUBSCRIPTION  NL\n"), "\(shown)")
  }

  @Test("LOC-6: a price that the file's currency cannot have stops an import, unless a price list has the product")
  func unrepresentablePrice() async throws {
    try onside.folder.write("japan.storekit", text: Self.lumen.replacing("NLD", with: "JPN"))
    let stopped = try await onside.run("import", "japan.storekit", "--app", "a.b")
    #expect(stopped.status == 1 && stopped.errors.contains("at most 0 decimals of JPY, got \"0.99\""))
    try onside.folder.write("prices.json", text: #"{"products": {"gold": {"JP": {"amount": 100, "currency": "JPY"}}}}"#)
    let priced = try await onside.run("import", "japan.storekit", "--app", "a.b", "--prices", "prices.json")
    #expect(priced.status == 0, "\(priced.errors)")
  }

  @Test("LOC-1: promotional offers are imported, and nothing of them is ignored")
  func promotionalOffers() async throws {
    let group = """
      [{"id": "g", "subscriptions": [{"productID": "pro", "displayPrice": "3.99", "recurringSubscriptionPeriod": "P1M",
        "adHocOffers": [{"offerID": "back", "paymentMode": "free", "subscriptionPeriod": "P1M"}]}]}]
      """
    try onside.folder.write(
      "pro.storekit", text: Self.lumen.replacing("\"subscriptionGroups\": []", with: "\"subscriptionGroups\": \(group)")
    )
    let outcome = try await onside.run("import", "pro.storekit", "--app", "a.b")
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("ignored  products[0].weird\na.b now sells"), "\(outcome)")
  }

  @Test(
    "LOC-6: a catalogue in JSON with an unknown kind or a negative price is refused, or imported without the product")
  func brokenJSON() async throws {
    let product =
      #"{"id": "ID", "kind": "KIND", "referenceName": "", "localizations": [], "familyShareable": false,"#
      + #" "prices": {"NL": {"amount": PRICE, "currency": "EUR"}}}"#
    let products = [("a", "CONSUMABLE", "99"), ("b", "BUNDLE", "99"), ("c", "CONSUMABLE", "-1")].map {
      product.replacing("ID", with: $0).replacing("KIND", with: $1).replacing("PRICE", with: $2)
    }
    try onside.folder.write(
      "c.json", text: #"{"default_language": "nl", "products": [\#(products.joined(separator: ", "))]}"#)
    let stopped = try await onside.run("import", "c.json", "--app", "a.b")
    #expect(stopped.status == 1)
    #expect(stopped.errors.contains("c.json: products[1].kind: expected one of"), "\(stopped.errors)")
    #expect(stopped.errors.contains("c.json: products[2].prices.NL.amount: expected 0 or more, got -1"))
    let skipped = try await onside.run("import", "c.json", "--app", "a.b", "--skip-invalid")
    #expect(skipped.output.hasSuffix("a.b now sells 1 product in 1 country.\n"), "\(skipped.errors)")
  }

  @Test("LOC-6: a misspelt key of a catalogue in JSON is refused: it would change what is sold without a word")
  func unknownKey() async throws {
    let offer =
      #"{"id": "back", "kind": "WIN_BACK", "mode": "MODE", "period": "P1M", "periodCount": 1, "prices": {}, RULE}"#
    let product =
      #"{"id": "pro", "kind": "AUTO_RENEWABLE_SUBSCRIPTION", "referenceName": "", "localizations": [],"#
      + #" "familyShareable": false, "prices": {"NL": {"amount": 99, "currency": "EUR"}},"#
      + #" "subscription": {"groupID": "plans", "groupName": "Plans", "level": 1, "period": "P1M", "offers": [\#(offer)]}}"#
    func stopped(mode: String, rule: String) async throws -> String {
      let text = product.replacing("MODE", with: mode).replacing("RULE", with: rule)
      try onside.folder.write("c.json", text: #"{"default_language": "nl", "products": [\#(text)]}"#)
      let outcome = try await onside.run("import", "c.json", "--app", "a.b")
      #expect(outcome.status == 1)
      return outcome.errors
    }
    let misspelt = try await stopped(mode: "FREE_TRIAL", rule: #""winback": {"lapsedFrom": 3}"#)
    #expect(misspelt.contains("c.json: products[0].subscription.offers[0].winback: unknown key"), "\(misspelt)")
    let unknown = try await stopped(mode: "free", rule: #""winBack": {"lapsedFrom": 3}"#)
    #expect(unknown.contains(#"offers[0].mode: expected FREE_TRIAL, PAY_AS_YOU_GO or PAY_UP_FRONT, got "free""#))
    let unpriced = try await stopped(mode: "PAY_UP_FRONT", rule: #""winBack": {"lapsedFrom": 3}"#)
    #expect(unpriced.contains("offers[0].prices: expected a price in one country at least"), "\(unpriced)")
  }

  @Test("LOC-6: every key that a catalogue can have is known to an import")
  func everyKey() async throws {
    let offer = Offer(
      id: "spring", kind: .winBack, mode: .freeTrial, period: .oneMonth,
      winBack: WinBackRule(paidMonths: 1, lapsedFrom: 1, lapsedTo: 12, waitMonths: 1))
    let code = Offer(id: "code", kind: .code, mode: .freeTrial, period: .oneMonth, customers: [.new])
    let price = Money(minorUnits: 499, currency: .eur)
    let product = Product(
      id: "pro", kind: .autoRenewableSubscription, referenceName: "Pro",
      localizations: [LocalizedText(language: "en", title: "Pro", description: "All")],
      prices: [.netherlands: price],
      subscription: Subscription(
        groupID: "plans", groupName: "Plans", level: 1, period: .oneMonth, offers: [offer, code], graceDays: 3),
      iconURL: URL(string: "https://example.org/pro.png"))
    let catalogue = try JSONEncoder().encode(try Catalogue(products: [product], defaultLanguage: "en"))
    try onside.folder.write("c.json", text: String(decoding: catalogue, as: UTF8.self))
    let outcome = try await onside.run("import", "c.json", "--app", "a.b")
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test("LOC-6: an import names what is no longer sold")
  func removedProducts() async throws {
    func catalogue(_ id: String) -> String {
      #"{"default_language": "nl", "products": [{"id": "ID", "kind": "CONSUMABLE", "referenceName": "","#
        .replacing("ID", with: id) + #" "localizations": [], "familyShareable": false,"#
        + #" "prices": {"NL": {"amount": 99, "currency": "EUR"}}}]}"#
    }
    try onside.folder.write("c.json", text: catalogue("coins"))
    let first = try await onside.run("import", "c.json", "--app", "a.b")
    #expect(first.output == "a.b now sells 1 product in 1 country.\n", "\(first)")
    try onside.folder.write("c.json", text: catalogue("gems"))
    let second = try await onside.run("import", "c.json", "--app", "a.b")
    #expect(second.output == "removed  coins\nadded    gems\na.b now sells 1 product in 1 country.\n", "\(second)")
  }

  @Test("LOC-6: two offers of a product with one id are refused: an order names an offer by it")
  func doubledOffer() async throws {
    let offer =
      #"{"id": "back", "kind": "WIN_BACK", "mode": "FREE_TRIAL", "period": "P1M", "periodCount": 1, "prices": {}}"#
    let product =
      #"{"id": "pro", "kind": "AUTO_RENEWABLE_SUBSCRIPTION", "referenceName": "", "localizations": [],"#
      + #" "familyShareable": false, "prices": {"NL": {"amount": 99, "currency": "EUR"}},"#
      + #" "subscription": {"groupID": "plans", "groupName": "Plans", "level": 1, "period": "P1M", "offers": [\#(offer), \#(offer)]}}"#
    try onside.folder.write("c.json", text: #"{"default_language": "nl", "products": [\#(product)]}"#)
    let stopped = try await onside.run("import", "c.json", "--app", "a.b")
    #expect(stopped.status == 1)
    #expect(stopped.errors.contains(#"expected offers with ids of their own, got "back" twice"#), "\(stopped.errors)")
  }

  @Test("LOC-6: an offer in another currency than its product is refused, in a catalogue in JSON and in a price list")
  func otherCurrency() async throws {
    let offer =
      #"{"id": "back", "kind": "WIN_BACK", "mode": "PAY_UP_FRONT", "period": "P1M", "periodCount": 1,"#
      + #" "prices": {"NL": {"amount": 99, "currency": "USD"}}}"#
    let product =
      #"{"id": "pro", "kind": "AUTO_RENEWABLE_SUBSCRIPTION", "referenceName": "", "localizations": [],"#
      + #" "familyShareable": false, "prices": {"NL": {"amount": 399, "currency": "EUR"}},"#
      + #" "subscription": {"groupID": "plans", "groupName": "Plans", "level": 1, "period": "P1M", "offers": [\#(offer)]}}"#
    try onside.folder.write("c.json", text: #"{"default_language": "nl", "products": [\#(product)]}"#)
    let stopped = try await onside.run("import", "c.json", "--app", "a.b")
    #expect(stopped.status == 1)
    #expect(
      stopped.errors.contains(
        "products[0].subscription.offers[0].prices.NL: expected EUR, as the product costs there, got USD"),
      "\(stopped.errors)")
    let group = """
      [{"id": "g", "subscriptions": [{"productID": "pro", "displayPrice": "3.99", "recurringSubscriptionPeriod": "P1M",
        "adHocOffers": [{"offerID": "back", "paymentMode": "payUpFront", "displayPrice": "0.99",
          "subscriptionPeriod": "P1M"}]}]}]
      """
    try onside.folder.write(
      "pro.storekit", text: Self.lumen.replacing("\"subscriptionGroups\": []", with: "\"subscriptionGroups\": \(group)")
    )
    let table = #"{"offers": {"pro": {"back": {"NL": {"amount": 99, "currency": "USD"}}}}}"#
    try onside.folder.write("prices.json", text: table)
    let listed = try await onside.run("import", "pro.storekit", "--app", "a.b", "--prices", "prices.json")
    #expect(listed.status == 1 && listed.errors.contains("prices.json: offers.pro.back.NL: expected EUR"), "\(listed)")
  }

  @Test("LOC-6: a catalogue with U+0000 in a text is refused by its product; what only looks like it is not")
  func nullCharacter() async throws {
    let product =
      #"{"id": "a", "kind": "CONSUMABLE", "referenceName": "NAME", "localizations": [], "familyShareable": false,"#
      + #" "prices": {"NL": {"amount": 99, "currency": "EUR"}}}"#
    func catalogue(_ name: String) -> String {
      #"{"default_language": "nl", "products": [\#(product.replacing("NAME", with: name))]}"#
    }
    try onside.folder.write("c.json", text: catalogue(#"x\u0000"#))
    let stopped = try await onside.run("import", "c.json", "--app", "a.b")
    #expect(stopped.status == 1)
    #expect(stopped.errors == "Error: c.json: expected texts without U+0000, got one in the product \"a\"\n")
    try onside.folder.write("c.json", text: catalogue(#"x\\u0000"#))
    let taken = try await onside.run("import", "c.json", "--app", "a.b")
    #expect(taken.output.hasSuffix("a.b now sells 1 product in 1 country.\n"), "\(taken.errors)")
  }

  @Test("A price list that names an unknown product, and a JSON catalogue with a missing key, are refused by name")
  func brokenCatalogues() async throws {
    try onside.folder.write("lumen.storekit", text: Self.lumen)
    try onside.folder.write("prices.json", text: #"{"products": {"glod": {"NL": {"amount": 1, "currency": "EUR"}}}}"#)
    let misspelt = try await onside.run("import", "lumen.storekit", "--app", "a.b", "--prices", "prices.json")
    #expect(misspelt.status == 1)
    #expect(misspelt.errors == "Error: prices.json: expected products of lumen.storekit, got glod\n")
    try onside.folder.write("c.json", text: #"{"default_language": "nl", "products": [{"id": "gold"}]}"#)
    let missing = try await onside.run("import", "c.json", "--app", "a.b")
    #expect(missing.status == 1)
    #expect(missing.errors.hasPrefix("Error: c.json: products[0]: expected the key \""))
  }

  @Test("A catalogue in JSON is imported")
  func catalogue() async throws {
    try onside.folder.write(
      "c.json",
      text: """
        {"default_language": "nl", "products": [{"id": "gold", "kind": "CONSUMABLE", "referenceName": "Gold",
          "localizations": [], "familyShareable": false,
          "prices": {"NL": {"amount": 99, "currency": "EUR"}, "DE": {"amount": 99, "currency": "EUR"}}}]}
        """)
    let outcome = try await onside.run("import", "c.json", "--app", "io.example.a")
    #expect(outcome.output == "io.example.a now sells 1 product in 2 countries.\n", "\(outcome.errors)")
  }

  @Test("An app can be added, listed and removed; a wrong identifier or redirect is refused with what was expected")
  func apps() async throws {
    let status = try await onside.run("app", "add", "io.example.a", "--region", "DE").status
    #expect(status == 0)
    let output = try await onside.run("app", "list").output
    #expect(output.contains("io.example.a  io.example.a  DE"))
    let wrong = try await onside.run("app", "add", "no spaces")
    #expect(wrong.status == 1 && wrong.errors.contains("expected an app identifier"))
    let redirect = try await onside.run("app", "add", "a.b", "--redirect", "javascript:alert(1)")
    #expect(redirect.status == 1 && redirect.errors.contains("got \"javascript:alert(1)\""))
    let secondStatus = try await onside.run("app", "remove", "io.example.a").status
    #expect(secondStatus == 0)
    let unknown = try await onside.run("app", "show", "io.example.a")
    #expect(unknown.status == 1)
    #expect(unknown.errors == "Error: expected a registered app, got \"io.example.a\"; none is registered\n")
  }

  @Test("The sandbox clock is advanced, shown and reset; a production store's is not moved")
  func clock() async throws {
    try await imported()
    let output = try await onside.run("clock", "advance", "31d").output
    #expect(output.contains("ahead by 31d"))
    let secondOutput = try await onside.run("clock", "advance", "90m").output
    #expect(secondOutput.contains("ahead by 31d 1h 30m"))
    let thirdOutput = try await onside.run("clock", "show").output
    #expect(thirdOutput.contains("ahead by 31d 1h 30m"))
    let fourthOutput = try await onside.run("clock", "reset").output
    #expect(fourthOutput.contains("the machine's time"))
    let wrong = try await onside.run("clock", "advance", "tomorrow")
    #expect(wrong.status == 1 && wrong.errors.contains("such as 31d, got \"tomorrow\""))
    let production = try await onside.run("clock", "advance", "1d", environment: ["ONSIDE_ENVIRONMENT": "production"])
    #expect(production.status == 1 && production.errors.contains("expected a sandbox store"))
  }

  @Test("The clock is not set back once there are orders; the refusal and the help say so")
  func clockWithOrders() async throws {
    _ = try await Shop(onside.folder)
    _ = try await onside.run("clock", "advance", "1d")
    try await DatabaseQueue(path: onside.folder.file("onside.sqlite")).write {
      try $0.execute(
        sql: """
          INSERT INTO orders(id, account_id, app_id, product_id, ordered_product, quantity, country, currency, amount,
            price_text, state, reason, created_at)
          VALUES ('o', 'a', 'a.b', 'gold', 1, 1, 'NL', 'EUR', 99, '', 'open', 'PURCHASE', 0)
          """)
    }
    let refused = try await onside.run("clock", "reset")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("the clock cannot be set back: this store has orders"))
    let output = try await onside.run("clock", "show").output
    #expect(output.contains("ahead by 1d"))
    let secondOutput = try await onside.run("help", "clock", "reset").output
    #expect(secondOutput.contains("keeps its clock"))
  }

  @Test("A key signs and the next is published; rotating too early says when it will be possible")
  func keys() async throws {
    try await imported()
    let list = try await onside.run("key", "list").output
    #expect(list.contains("active") && list.contains("next"))
    let early = try await onside.run("key", "rotate")
    #expect(early.status == 1 && early.errors.contains("try again in "))
    _ = try await onside.run("clock", "advance", "11m")
    let status = try await onside.run("key", "rotate").status
    #expect(status == 0)
    let output = try await onside.run("key", "list").output
    #expect(output.contains("retired"))
  }

  @Test("A command without a database says where it looked and what to do")
  func noDatabase() async throws {
    let outcome = try await onside.run("order", "list")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.hasPrefix("Error: expected the store's database at onside.sqlite, but there is no such file."))
    #expect(!FileManager.default.fileExists(atPath: onside.folder.file("onside.sqlite")))
  }

  @Test("--check-config prints what is in effect, and an unknown key with its line and the nearest known one")
  func checkConfig() async throws {
    try onside.folder.write("onside.toml", text: "port = 9000\n[limits]\nconnections = 3\n")
    let good = try await onside.run("serve", "--configuration", "onside.toml", "--host", "::1", "--check-config")
    #expect(good.status == 0)
    #expect(good.output.contains("port = 9000\n") && good.output.contains("host = \"::1\"\n"))
    #expect(good.output.contains("connections = 3\n"))
    try onside.folder.write("onside.toml", text: "port = 9000\n[limits]\nconections = 3\n")
    let bad = try await onside.run("serve", "--configuration", "onside.toml", "--check-config")
    #expect(bad.status == 1)
    #expect(
      bad.errors == "Error: onside.toml:3: unknown key \"limits.conections\"; did you mean \"limits.connections\"?\n")
    let variable = try await onside.run("serve", "--check-config", environment: ["ONSIDE_PROT": "1"])
    #expect(variable.status == 1)
    #expect(variable.errors.contains("unknown key \"ONSIDE_PROT\"; did you mean \"ONSIDE_PORT\"?"))
  }
}
