import Foundation
import OnsideCommerce
import Testing

@Suite(.timeLimit(.minutes(5))) struct StoreKitConfigurationTests {
  private func decode(_ json: String) throws -> StoreKitConfiguration {
    try StoreKitConfiguration.decode(Data(json.utf8), path: "Test.storekit", skippingBroken: true)
  }

  private func file(
    products: String = "[]", groups: String = "[]", settings: String = #"{"_storefront": "NLD"}"#, version: Int = 4
  ) -> String {
    """
    {"identifier": "1", "products": \(products), "nonRenewingSubscriptions": [], "subscriptionGroups": \(groups),
     "settings": \(settings), "version": {"major": \(version), "minor": 0}}
    """
  }

  private func product(_ id: String = "coins", price: String = #""4.99""#, extra: String = "") -> String {
    """
    {"productID": "\(id)", "type": "Consumable", "displayPrice": \(price), "familyShareable": false,
     "internalID": "1", "referenceName": "Coins", "localizations": []\(extra)}
    """
  }

  private func subscription(_ extra: String) -> String {
    """
    [{"id": "g1", "name": "Pro", "localizations": [], "subscriptions": [{
      "productID": "pro", "type": "RecurringSubscription", "displayPrice": "3.99", "groupNumber": 2,
      "recurringSubscriptionPeriod": "P1M", "subscriptionGroupID": "g1", "adHocOffers": [], "codeOffers": [],
      "familyShareable": false, "internalID": "2", "localizations": [], "referenceName": "Pro"\(extra)}]}]
    """
  }

  @Test("LOC-1: formats 3, 4 and 5 load without a note", arguments: [3, 4, 5])
  func formats(version: Int) throws {
    let configuration = try decode(file(products: "[\(product())]", version: version))
    #expect(configuration.formatVersion == version)
    #expect(configuration.products.map(\.id) == ["coins"])
    #expect(configuration.ignored == [])
  }

  @Test("LOC-6: a product of families is sold, and the file's note says that they share no purchases")
  func families() throws {
    let shared = product().replacing("\"familyShareable\": false", with: "\"familyShareable\": true")
    let configuration = try decode(file(products: "[\(shared)]"))
    #expect(configuration.products.map(\.familyShareable) == [true])
    #expect(configuration.brokenProducts.isEmpty)
    #expect(
      configuration.ignored == [
        "products[0].familyShareable: expected false: families share no purchases, got true (line 1)"
      ])
  }

  @Test("LOC-6: an offer whose id no order can name is left out, with a note")
  func offerIdentifier() throws {
    let offer =
      #", "adHocOffers": [{"offerID": "50 %", "paymentMode": "free", "subscriptionPeriod": "P1M"}]"#
    let group = subscription("").replacing(#""adHocOffers": [], "#, with: "").replacing(
      #""referenceName": "Pro""#, with: #""referenceName": "Pro""# + offer)
    let configuration = try decode(file(groups: group))
    #expect(configuration.products.first?.subscription?.offers == [])
    #expect(
      configuration.ignored.first?.hasPrefix(
        "subscriptionGroups[0].subscriptions[0].adHocOffers[0].offerID: expected \(Product.identifierRule)") == true)
  }

  @Test("LOC-1: a newer format is broken; with skippingBroken it is read as far as it goes")
  func newerFormat() throws {
    let json = file(products: "[\(product())]", version: 6)
    let configuration = try decode(json)
    #expect(configuration.products.count == 1)
    #expect(configuration.ignored == ["version.major: expected format 3, 4 or 5, got the number 6 (line 3)"])
    #expect(configuration.brokenProducts.map(\.error.expected) == ["version.major: format 3, 4 or 5"])
  }

  @Test(
    "PRD-6: display prices are read as decimals, in either notation",
    arguments: [
      (#""4.99""#, 499), (#""4,99""#, 499), ("4.99", 499), (#""0""#, 0), (#""5""#, 500), (#""0.07""#, 7),
      (#""90071992547409.93""#, 9_007_199_254_740_993), ("1.1", 110),
    ] as [(String, Int64)])
  func displayPrice(text: String, expected: Int64) throws {
    let configuration = try decode(file(products: "[\(product(price: text))]"))
    #expect(configuration.products.first?.prices == [.netherlands: Money(minorUnits: expected, currency: .eur)])
  }

  @Test(
    "LOC-1: a product with a price that is none is left out, and named",
    arguments: [#""""#, #""free""#, #""-1""#, "-1", "1e2", #""1.234,56""#, #""4.99 €""#, #""٤""#, "true", "[]"])
  func badPrice(text: String) throws {
    let configuration = try decode(file(products: "[\(product("good")), \(product(price: text))]"))
    #expect(configuration.products.map(\.id) == ["good"])
    #expect(configuration.ignored.count == 1)
    #expect(configuration.ignored.first?.hasPrefix("products[1].displayPrice: expected a price") == true)
  }

  @Test("PRD-6: a price that the storefront's currency cannot have is no price there")
  func unrepresentable() throws {
    let configuration = try decode(
      file(products: "[\(product())]", settings: #"{"_storefront": "JPN"}"#))
    #expect(configuration.products.first?.prices == [:])
    #expect(
      configuration.ignored == [
        "products[0].displayPrice: expected a price with at most 0 decimals of JPY, got \"4.99\" (line 1)"
      ])
    #expect(configuration.brokenProducts.map(\.unpricedProduct) == ["coins"])
  }

  @Test("LOC-1: what is not known is listed by its path, and what is empty is not")
  func unknownKeys() throws {
    let json = file(
      products: "[\(product(extra: #", "foo": 1, "bar": null, "baz": [], "qux": """#))]",
      groups: subscription(#", "winbackOffers": [{"a": 1}], "introductoryOffer": null"#),
      settings: #"{"_storefront": "NLD", "_new": true}"#)
    let configuration = try decode(json.replacingOccurrences(of: "\"codeOffers\": []", with: "\"codeOffers\": [1]"))
    #expect(
      Set(configuration.ignored) == [
        "products[0].foo", "settings._new",
        "subscriptionGroups[0].subscriptions[0].codeOffers[0]: expected an object, got the number 1 (line 4)",
        "subscriptionGroups[0].subscriptions[0].winbackOffers[0].a",
        "subscriptionGroups[0].subscriptions[0].winbackOffers[0]: expected \"paymentMode\" with free, payAsYouGo or "
          + "payUpFront, got nothing (line 5)",
      ])
    #expect(configuration.products.map(\.id) == ["coins", "pro"])
  }

  @Test("LOC-1: broken entries are left out one by one, with reason and line")
  func brokenEntries() throws {
    let json = """
      {
        "products": [
          42,
          { "productID": "", "type": "Consumable", "displayPrice": "1" },
          { "productID": "odd", "type": "Bundle", "displayPrice": "1" },
          \(product("good").replacingOccurrences(of: "\n", with: " ")),
          \(product("good").replacingOccurrences(of: "\n", with: " "))
        ],
        "subscriptionGroups": {},
        "version": { "major": 4, "minor": 0 }
      }
      """
    let configuration = try decode(json)
    #expect(configuration.products.map(\.id) == ["good"])
    #expect(
      configuration.ignored == [
        "products[0]: expected an object, got the number 42 (line 3)",
        #"products[1].productID: expected a string of 1 to 255 letters, digits, dots, dashes and underscores, got "" (line 4)"#,
        #"products[2].type: expected Consumable, NonConsumable or NonRenewingSubscription, got "Bundle" (line 5)"#,
        "subscriptionGroups: expected a list, got an object (line 9)",
        #"products[4].productID: expected an identifier that no other product has, got "good" (line 7)"#,
      ])
  }

  @Test(
    "LOC-6: a product that is not sold as the file says is broken, with its place",
    arguments: [
      (#"{"productID": "a", "type": "Consumable", "displayPrice": "-1"}"#, "displayPrice: a price such as"),
      (#"{"productID": "a", "type": "Bundle", "displayPrice": "1"}"#, "type: Consumable, NonConsumable or"),
      (#"{"productID": "a", "displayPrice": "1"}"#, #": "type" with Consumable"#),
      (#"{"type": "Consumable", "displayPrice": "1"}"#, #": "productID" with a string"#), ("42", ": an object"),
    ])
  func brokenProducts(entry: String, expected: String) throws {
    let configuration = try decode("{\"products\": [\n \(product("good")),\n \(entry)]}")
    #expect(configuration.products.map(\.id) == ["good"])
    let broken = try #require(configuration.brokenProducts.first)
    #expect(configuration.brokenProducts.count == 1 && broken.unpricedProduct == nil)
    #expect(broken.error.line == 4 && broken.error.path == "Test.storekit")
    #expect(broken.error.expected.hasPrefix("products[1]"))
    #expect(broken.error.expected.contains(expected), "\(broken.error.expected)")
  }

  @Test(
    "LOC-6: a subscription with an unknown period, a broken offer or group is broken",
    arguments: [
      ("\"P1M\"", "\"monthly\""), ("\"P1M\"", "\"P1M\", \"introductoryOffer\": {\"paymentMode\": \"free\"}"),
      ("\"id\": \"g1\"", "\"id\": 7"), ("\"groupNumber\": 2", "\"groupNumber\": \"two\""),
    ])
  func brokenSubscriptions(text: String, replacement: String) throws {
    let configuration = try decode(file(groups: subscription("").replacing(text, with: replacement)))
    #expect(configuration.brokenProducts.count == 1)
    let first = try #require(configuration.brokenProducts.first)
    #expect(first.error.expected.hasPrefix("subscriptionGroups[0]"))
  }

  @Test("LOC-6: twice the same identifier, lists that are none and an unknown storefront are broken")
  func brokenFiles() throws {
    let twice = try decode(file(products: "[\(product()), \(product())]"))
    #expect(twice.brokenProducts.map(\.error.expected).first?.hasPrefix("products[1].productID") == true)
    let brokenProductCount = try decode(file(products: "{}")).brokenProducts.count
    #expect(brokenProductCount == 1)
    let secondBrokenProductCount = try decode(file(settings: #"{"_storefront": "NL"}"#)).brokenProducts.count
    #expect(secondBrokenProductCount == 1)
  }

  @Test(
    "LOC-6: in a file of an unknown storefront no product and no offer has a price, and each is listed",
    arguments: [#"{"_storefront": "XKS"}"#, #"{"_storefront": 1}"#, "[]"])
  func unknownStorefront(settings: String) throws {
    let offer =
      #", "winbackOffers": [{"displayPrice": "0.99", "offerID": "again", "paymentMode": "payUpFront", "#
      + #""subscriptionPeriod": "P1M"}]"#
    let configuration = try decode(
      file(products: "[\(product())]", groups: subscription(offer), settings: settings))
    #expect(configuration.products.map(\.id) == ["coins", "pro"])
    #expect(configuration.products.map(\.prices) == [[:], [:]])
    #expect(configuration.products.last?.subscription?.offers.map(\.prices) == [[:]])
    #expect(configuration.brokenProducts.count == 1)
    #expect(configuration.ignored.filter { $0.contains("displayPrice: expected a price in a known") }.count == 3)
  }

  @Test("LOC-6: a second group of one id is broken, and so is a second offer of one id, whatever its kind")
  func doubledIdentifiers() throws {
    let groups = subscription("").dropLast() + "," + subscription("").dropFirst().replacing("\"pro\"", with: "\"max\"")
    let twice = try decode(file(groups: String(groups)))
    #expect(
      twice.brokenProducts.map(\.error.expected) == [
        "subscriptionGroups[1].id: an identifier that no other group has"
      ])
    #expect(twice.products.map(\.id) == ["pro"])
    let offer = #"[{"offerID": "back", "paymentMode": "free", "subscriptionPeriod": "P1M"}]"#
    let json = file(groups: subscription(#", "winbackOffers": \#(offer)"#))
      .replacing(#""adHocOffers": []"#, with: #""adHocOffers": \#(offer)"#)
    let doubled = try decode(json)
    #expect(
      doubled.brokenProducts.map(\.error.description) == [
        "Test.storekit:1:159: expected subscriptionGroups[0].subscriptions[0]: offers with ids of their own, "
          + "got \"back\" twice"
      ])
    #expect(doubled.products.first?.subscription?.offers.map(\.kind) == [.promotional])
  }

  @Test("LOC-6: a repeated key is rejected at its second place")
  func repeatedKey() {
    let json = "{\"products\": [],\n \"version\": {\"major\": 4, \"major\": 5}}"
    let error = #expect(throws: StoreKitFileError.self) { try decode(json) }
    #expect(
      error?.description
        == "Test.storekit:2:26: expected a key that the object does not have yet, got \"major\" again")
  }

  @Test("LOC-6: what is merely not known, or not sold by any store, is not broken")
  func notBroken() throws {
    let offers = #", "novelty": 1, "adHocOffers": [{"paymentMode": "barter"}], "codeOffers": [1]"#
    let json = file(
      products: "[\(product(extra: #", "foo": 1"#))]", groups: subscription(offers), settings: #"{"_timeRate": 99}"#
    ).replacing(#""adHocOffers": [], "codeOffers": [],"#, with: "")
    let configuration = try decode(json)
    #expect(configuration.ignored.count == 5)
    #expect(configuration.brokenProducts == [])
  }

  @Test("LOC-1: subscriptions have group, level, period and both kinds of offers")
  func subscriptions() throws {
    let offers = """
      , "introductoryOffer": {"internalID": "i", "paymentMode": "free", "subscriptionPeriod": "P1W"},
      "adHocOffers": [{"displayPrice": "1.99", "internalID": "j", "numberOfPeriods": 3, "offerID": "back",
        "paymentMode": "payAsYouGo", "referenceName": "Come back", "subscriptionPeriod": "P1M"}]
      """
    let json = file(groups: subscription(offers)).replacingOccurrences(of: "\"adHocOffers\": [], ", with: "")
    let configuration = try decode(json)
    #expect(configuration.ignored == [])
    #expect(configuration.brokenProducts == [])
    let product = try #require(configuration.products.first)
    #expect(product.kind == .autoRenewableSubscription)
    let back = Offer(
      id: "back", kind: .promotional, mode: .payAsYouGo, period: .oneMonth, periodCount: 3,
      prices: [.netherlands: Money(minorUnits: 199, currency: .eur)])
    let trial = Offer(id: "pro.introductory", kind: .introductory, mode: .freeTrial, period: .oneWeek)
    #expect(
      product.subscription
        == Subscription(groupID: "g1", groupName: "Pro", level: 2, period: .oneMonth, offers: [trial, back]))
  }

  @Test("LOC-1: win-back offers are read; the file has no rule for them")
  func winBackOffers() throws {
    let offers = """
      , "winbackOffers": [{"displayPrice": "0.99", "internalID": "w", "numberOfPeriods": 2, "offerID": "again",
        "paymentMode": "payAsYouGo", "referenceName": "Again", "subscriptionPeriod": "P1M"}]
      """
    let configuration = try decode(file(groups: subscription(offers)))
    #expect(configuration.ignored == [])
    let again = Offer(
      id: "again", kind: .winBack, mode: .payAsYouGo, period: .oneMonth, periodCount: 2,
      prices: [.netherlands: Money(minorUnits: 99, currency: .eur)])
    #expect(configuration.products.first?.subscription?.offers == [again])
  }

  @Test("LOC-1: format 5 has introductory offers in a list, and billing plans")
  func formatFive() throws {
    let extra = """
      , "introductoryOffers": [
        {"internalID": "i", "paymentMode": "free", "subscriptionPeriod": "P3D"},
        {"internalID": "j", "paymentMode": "payUpFront", "displayPrice": "9.99", "subscriptionPeriod": "P6M"}],
      "billingPlans": [{"billingPlanType": "BILLED_UPFRONT", "displayPrice": "3.99"}, {"billingPlanType": "MONTHLY"}]
      """
    let configuration = try decode(file(groups: subscription(extra), version: 5))
    let offers = try #require(configuration.products.first?.subscription?.offers)
    #expect(offers.map(\.id) == ["pro.introductory", "pro.introductory2"])
    #expect(offers.map(\.mode) == [.freeTrial, .payUpFront])
    #expect(configuration.ignored.count == 1)
    #expect(configuration.ignored.first?.contains("billingPlans[1].billingPlanType: expected BILLED_UPFRONT") == true)
  }

  @Test(
    "LOC-1: a broken offer does not take the product with it",
    arguments: [
      #"{"paymentMode": "barter", "subscriptionPeriod": "P1W"}"#, #"{"paymentMode": "free"}"#, "7",
      #"{"paymentMode": "free", "subscriptionPeriod": "P1W", "numberOfPeriods": 0}"#,
      #"{"paymentMode": "payUpFront", "subscriptionPeriod": "P1W"}"#,
    ])
  func brokenOffer(offer: String) throws {
    let configuration = try decode(file(groups: subscription(#", "introductoryOffer": \#(offer)"#)))
    #expect(configuration.products.first?.subscription?.offers == [])
    #expect(configuration.ignored.count == 1)
  }

  @Test("LOC-2: the settings are what the file says")
  func settings() throws {
    let json = """
      {"_storefront": "JPN", "_locale": "ja_JP", "_timeRate": 15, "_failTransactionsEnabled": true,
       "_askToBuyEnabled": true, "_billingIssuesEnabled": true, "_renewalBillingIssuesEnabled": true,
       "_billingGracePeriodEnabled": true, "_disableDialogs": true, "_developerTeamID": "X",
       "_storeKitErrors": [{"current": null, "enabled": false, "name": "Verification"},
         {"current": {"index": 1, "type": "generic"}, "enabled": true, "name": "Purchase"},
         {"current": null, "enabled": true, "name": "Load Products"}]}
      """
    let configuration = try decode(file(settings: json))
    var expected = StoreKitSettings()
    expected.storefront = try #require(CountryCode(alpha2: "JP"))
    expected.language = "ja-JP"
    expected.timeRate = .monthlyRenewalEveryThirtySeconds
    expected.failTransactionsEnabled = true
    expected.askToBuyEnabled = true
    expected.billingIssuesEnabled = true
    expected.renewalBillingIssuesEnabled = true
    expected.billingGracePeriodEnabled = true
    expected.disableDialogs = true
    expected.storeKitErrors = [
      StoreKitFailure(operation: "Purchase", kind: "generic"), StoreKitFailure(operation: "Load Products"),
    ]
    #expect(configuration.settings == expected)
    #expect(configuration.ignored == [])
  }

  @Test("LOC-2: without settings it is the United States in English and real time")
  func defaultSettings() throws {
    let configuration = try decode(#"{"products": [\#(product())], "version": {"major": 3, "minor": 0}}"#)
    #expect(configuration.settings == StoreKitSettings())
    #expect(configuration.products.first?.price(in: .unitedStates)?.currency == .usd)
  }

  @Test("LOC-2: a setting that makes no sense is noted, and the others count")
  func brokenSettings() throws {
    let configuration = try decode(
      file(settings: #"{"_storefront": "NL", "_timeRate": 99, "_disableDialogs": "yes", "_locale": "nl_NL"}"#))
    #expect(configuration.settings.storefront == .unitedStates)
    #expect(configuration.settings.language == "nl-NL")
    #expect(configuration.settings.timeRate == .realTime)
    #expect(
      configuration.ignored.map { $0.prefix { $0 != ":" } }
        == ["settings._storefront", "settings._timeRate", "settings._disableDialogs"])
  }

  @Test("LOC-1: localizations become language tags; empty ones are left out")
  func localizations() throws {
    let json = product(extra: "").replacingOccurrences(
      of: #""localizations": []"#,
      with: """
        "localizations": [{"description": "Münzen", "displayName": "100 Münzen", "locale": "de_AT"},
          {"description": "", "displayName": "", "locale": "fr"}, {"displayName": "?"}]
        """)
    let configuration = try decode(file(products: "[\(json)]"))
    #expect(
      configuration.products.first?.localizations
        == [LocalizedText(language: "de-AT", title: "100 Münzen", description: "Münzen")])
    #expect(configuration.ignored.count == 1)
  }
}

@Suite(.timeLimit(.minutes(5))) struct TimeRateTests {
  @Test(
    "LOC-2: renewals pass at the file's rate",
    arguments: [
      (15, Period.oneMonth, 30.0), (15, .oneYear, 360), (15, .oneWeek, 10), (10, .oneMonth, 3600), (10, .oneWeek, 900),
      (11, .oneWeek, 600), (12, .oneWeek, 300), (13, .oneWeek, 180), (13, .oneYear, 3600), (6, .oneWeek, 7),
      (4, .oneMonth, 1800), (1, .oneDay, 3600), (1000, .oneYear, 900), (1004, .oneWeek, 10), (1005, .oneMonth, 2),
    ])
  func seconds(rate: Int, period: Period, expected: TimeInterval) throws {
    #expect(TimeRate(rawValue: rate).seconds(for: period) == expected)
  }

  @Test("LOC-2: real time and unknown rates follow the calendar", arguments: [0, -1, 9, 99])
  func calendar(rate: Int) {
    #expect(TimeRate(rawValue: rate).seconds(for: .oneMonth) == nil)
  }

  @Test(
    "LOC-2: grace periods are as long as Apple documents for the rate",
    arguments: [
      (0, Period.oneWeek, 518_400.0), (0, .oneMonth, 1_382_400), (10, .oneWeek, 771), (10, .oneMonth, 1800),
      (11, .oneWeek, 514), (11, .oneYear, 900), (13, .oneWeek, 154), (13, .oneMonth, 150), (15, .oneWeek, 9),
      (15, .oneMonth, 15), (1000, .oneWeek, 900), (1002, .oneYear, 60),
    ])
  func grace(rate: Int, period: Period, expected: TimeInterval) {
    #expect(TimeRate(rawValue: rate).gracePeriod(for: period) == expected)
  }

  @Test(
    "LOC-2: failed payments are tried again for as long as Apple documents for the rate",
    arguments: [(0, 5_184_000.0), (10, 7200), (11, 3600), (13, 600), (15, 60), (1002, 120), (1004, 20)])
  func retry(rate: Int, expected: TimeInterval) {
    #expect(TimeRate(rawValue: rate).billingRetryPeriod == expected)
  }
}
