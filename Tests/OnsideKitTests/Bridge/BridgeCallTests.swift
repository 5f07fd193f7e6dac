import Foundation
import OnsideCommerce
import Testing

@testable import OnsideKit

extension JSON {
  /// The code of a bridge error.
  var code: String? { self["error"]?["code"]?.text }
  var message: String? { self["error"]?["message"]?.text }
  var rejection: Set<String>? { self["rejection"]?.keys }
  var isFulfilled: Bool { self["error"] == nil && self["rejection"] == nil }
}

@MainActor
@Suite("Calls over the bridge", .timeLimit(.minutes(5)))
struct BridgeCallTests {
  private static let coins = #"{"productIdentifiers":["\#(LocalFile.coins)"]}"#
  private static let buyCoins = #"{"productIdentifier":"\#(LocalFile.coins)"}"#

  @Test("JSB-2: initializeOnside('v1') may come at any time, again, or not at all; another version is refused")
  func initialize() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    let value = await page.call("getTransactions")["value"]
    #expect(value == .array([]))
    #expect(await page.call("initializeOnside", with: #""v1""#).isFulfilled)
    #expect(await page.call("initializeOnside", with: #""v1""#).isFulfilled)
    let other = await page.call("initializeOnside", with: #""v2""#)
    #expect(other.code == "invalidArguments" && other.message?.contains("version: 'v1'") == true)
    let resultCode = await page.call("initializeOnside").code
    #expect(resultCode == "invalidArguments")
  }

  @Test(
    "JSB-3: what cannot be understood is refused with its code, and says what was expected",
    arguments: [
      ("makeCoffee", "null", "functionNotDefined", "makeCoffee"),
      ("toString", "null", "functionNotDefined", "toString"),
      ("setAppearance", #""blue""#, "invalidArguments", "theme: JSTheme"),
      ("purchase", "{}", "invalidArguments", "`productIdentifier` is missing"),
      ("purchase", #"{"productIdentifier":7}"#, "invalidArguments", "`productIdentifier` is not a string"),
      ("purchase", "7", "invalidArguments", "the value is not an object"),
      ("purchase", #"{"productIdentifier":"a","quantity":"3"}"#, "invalidArguments", "`quantity` is not an integer"),
      ("purchase", #"{"productIdentifier":"a","quantity":null}"#, "invalidArguments", "`quantity`"),
      ("loadProducts", #"{"productIdentifiers":["a",7]}"#, "invalidArguments", "`productIdentifiers[1]` is not"),
      ("loadProducts", #"{"productIdentifiers":"a"}"#, "invalidArguments", "`productIdentifiers` is not an array"),
      ("finishTransaction", "null", "invalidArguments", "id: string"),
      ("trackEvent", #""bought""#, "invalidArguments", "event: JSEvent"),
      ("trackEvent", #"{"name":"#, "invalidArguments", "the value is not valid"),
      ("trackEvent", String(repeating: "[", count: 100_000), "invalidArguments", "event: JSEvent"),
      ("", "null", "functionNotDefined", "no function"),
    ])
  func refused(_ function: String, parameters: String, code: String, word: String) async throws {
    let harness = try BridgeHarness()
    let result = await PageDouble(harness.bridge.makeView()).call(function, with: parameters)
    #expect(result.code == code)
    #expect(result.message?.contains(word) == true, "\(result)")
  }

  @Test("JSB-3: errors of the SDK are { caseName: {} }")
  func domainErrors() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    harness.shopper.set { $0.name = nil }
    let rejection = await page.call("requestLogin")["rejection"]
    #expect(rejection == .object(["loginDiscarded": .object([:])]))
    let secondRejection = await page.call("restoreCompletedTransactions").rejection
    #expect(secondRejection == ["loginDiscarded"])
    let thirdRejection = await page.call("presentPaymentMethodsManager").rejection
    #expect(thirdRejection == ["notSupportedInLocalTesting"])
    let refund = await page.call("presentRefundRequest", with: #""01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c""#)
    #expect(refund.rejection == ["notSupportedInLocalTesting"])
    let fourthRejection = await page.call("getSignedInAppsHistory").rejection
    #expect(fourthRejection == ["notSupportedInLocalTesting"])
    _ = await page.call("loadProducts", with: Self.coins)
    let fifthRejection = await page.call("purchase", with: Self.buyCoins).rejection
    #expect(fifthRejection == ["loginDiscarded"])
  }

  @Test("JSB-3: a message that is none, or too large, is a brokenRequest")
  func brokenRequests() async throws {
    var limits = BridgeLimits()
    limits.messageBytes = 300
    let harness = try BridgeHarness(limits: limits)
    let page = PageDouble(harness.bridge.makeView())
    for text in [
      "", "\n", "{}", "null", "7", "call", "[", "[7]", #"["ready"]"#, "[{}]", #"{"ready":{}}"#, #"[{"reset":{}}]"#,
      #"[{"ready":{},"alive":{}}]"#, #"[{"ready":{}}] x"#, #"[{"Ready":{}}]"#, #"[{"handlers":{}}]"#,
      #"[{"ready":true}]"#,
      #"[{"call":{}}]"#, #"[{"call":{"id":1}}]"#, #"[{"call":{"function":"logout"}}]"#,
      #"[{"call":{"id":"1","function":"logout"}}]"#, #"[{"call":{"id":1.5,"function":"logout"}}]"#,
      #"[{"call":{"id":9223372036854775808,"function":"logout"}}]"#,
      #"[{"call":{"id":1,"function":"setAppearance","parameters":{}}}]"#, #"[{"call":{"id":1,"function":"\ud800"}}]"#,
      #"[{"answer":{"gate":1}}]"#, #"[{"answer":{"gate":1,"value":"yes"}}]"#,
      #"[{"answer":{"gate":"x","value":true}}]"#,
      #"[{"call":{"id":1,"function":"logout"}},{"readyy":{}}]"#, String(repeating: "[", count: 299),
    ] {
      let jSONCode = try JSON(page.say(text)).code
      #expect(jSONCode == "brokenRequest", "\(text)")
    }
    let large = await page.call("setDefaultCountryCodeAssumption", with: "\"\(String(repeating: "n", count: 300))\"")
    #expect(large.code == "brokenRequest" && large.message?.contains("300 bytes") == true)
  }

  @Test("JSB-3: one call too many at a time is a brokenRequest, and every call settles")
  func tooManyCalls() async throws {
    let (world, store) = (ClientHarness(), StoreDouble())
    store.set { $0.hangs = true }
    var limits = BridgeLimits()
    limits.callsInFlight = 2
    let page = PageDouble(OnsideBridge(client: .scripted(store, in: world), limits: limits).makeView())
    let calls = page.begin(Array(repeating: ("loadProducts", Self.coins), count: 3))
    #expect(page.result(of: calls.upperBound)?.code == "brokenRequest" && page.waiting == 2)
    #expect(await eventually { world.clock.sleepers >= 4 })
    world.clock.advance(limits.callDeadline)
    #expect(await eventually { page.waiting == 0 })
    #expect(await page.call("getTransactions").isFulfilled)
  }

  @Test("JSB-3: what has no JSON form is cannotSerializeResponse, not silence")
  func noJSONForm() throws {
    let result = try JSON(BridgeResult(call: 4, outcome: .rejection(Double.nan)).text)
    #expect(result["id"]?.int == 4 && result.code == "cannotSerializeResponse")
  }

  @Test("JSB-3: a call that only waits for the network ends with deadlineExceeded when the client's clock says so")
  func deadline() async throws {
    let world = ClientHarness()
    let store = StoreDouble()
    store.set { $0.hangs = true }
    var limits = BridgeLimits()
    limits.callDeadline = 5
    let bridge = OnsideBridge(client: .scripted(store, in: world), limits: limits)
    let page = PageDouble(bridge.makeView())
    let call = page.begin(("loadProducts", Self.coins)).lowerBound
    #expect(await eventually { store.now.isHanging && world.clock.sleepers >= 2 })
    world.clock.advance(4)
    #expect(page.result(of: call) == nil)
    world.clock.advance(1)
    #expect(await eventually { page.result(of: call)?.code == "deadlineExceeded" })
    // A late outcome, here the products request's own deadline, is the result of no call.
    world.clock.advance(10)
    #expect(await eventually { store.now.wasCancelled })
    #expect(await page.call("getTransactions").isFulfilled)
    #expect(page.answered.count == 2)
  }

  @Test("JSB-9, JSB-10: large parameters are read like small ones, and calls behind them keep their order")
  func largeParameters() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    let large = #""\#(String(repeating: "x", count: 100_000))""#
    let calls = page.begin(
      ("loadProducts", #"{"productIdentifiers":[\#(large),"\#(LocalFile.coins)"]}"#), ("setAppearance", large),
      ("finishTransaction", large), ("setAppearance", #""dark""#), ("getCurrentStorefront", "null"))
    #expect(await eventually { page.waiting == 0 })
    #expect(page.answered.filter { $0 != calls.lowerBound } == Array(calls.dropFirst()))
    #expect(page.result(of: 1)?["value"]?["products"]?.items.count == 1)
    #expect(page.result(of: 2)?.code == "invalidArguments" && page.result(of: 3)?.rejection == ["unknownTransaction"])
    #expect(harness.client.appearance.themeMode == .dark)
  }

  @Test("JSB-9: a large message is replied to before it is decoded; its results come later, in order")
  func largeMessage() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    let calls = (1...5000).map { PageItem.call(id: $0, function: "getCurrentStorefront") }
    let result = try JSON(page.say(calls.message))["results"]
    #expect(result == nil)
    page.say(.call(id: 5001, function: "getCurrentStorefront"))
    #expect(await eventually { page.answered.count == 5001 })
    #expect(page.answered == Array(1...5001))
  }

  @Test("JSB-4: a product that was not loaded in this process is unknown, and so is a transaction that is not there")
  func unknown() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    let rejection = await page.call("purchase", with: Self.buyCoins)["rejection"]
    #expect(rejection == .object(["unknownProduct": .object([:])]))
    for id in [UUID().uuidString, "nonsense", ""] {
      let result = await page.call("finishTransaction", with: "\"\(id)\"")
      #expect(result["rejection"] == .object(["unknownTransaction": .object([:])]))
    }
    let loaded = await page.call("loadProducts", with: #"{"productIdentifiers":["\#(LocalFile.coins)","tulips"]}"#)
    #expect(loaded["value"]?["invalidProductIdentifiers"] == .array([.string("tulips")]))
    #expect(await page.call("purchase", with: Self.buyCoins).isFulfilled)
    let other = PageDouble(harness.bridge.makeView())
    #expect(await other.call("purchase", with: Self.buyCoins).isFulfilled, "the cache is the process's")
  }

  @Test("QUE-18: setAppAccountToken names the user of a page's purchases and codes; a purchase's own token wins")
  func accountToken() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    _ = await page.call("loadProducts", with: Self.coins)
    #expect(await page.call("setAppAccountToken", with: #""user-1""#).isFulfilled)
    let own = #"{"productIdentifier":"\#(LocalFile.coins)","appAccountToken":"user-2"}"#
    for parameters in [Self.buyCoins, own] {
      #expect(await page.call("purchase", with: parameters).isFulfilled)
    }
    let transactions = await page.call("getTransactions")["value"]?.items ?? []
    #expect(transactions.compactMap { $0["payment"]?["appAccountToken"]?.text } == ["user-1", "user-2"])
    #expect(await page.call("setAppAccountToken", with: #""""#).isFulfilled)
    #expect(harness.client.appAccountToken == nil)
  }

  @Test("QUE-18: an account token that is too long is refused before anything is enqueued")
  func longToken() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    _ = await page.call("loadProducts", with: Self.coins)
    let token = String(repeating: "é", count: 300)
    let result = await page.call(
      "purchase", with: #"{"productIdentifier":"\#(LocalFile.coins)","appAccountToken":"\#(token)"}"#)
    #expect(result.code == "invalidArguments" && result.message?.contains("512") == true)
    #expect(harness.client.queue.transactions.isEmpty && harness.shopper.logins == 0)
  }

  @Test("QUE-30: a page buys three in one payment, and is told how many; what cannot be sold so often is refused")
  func quantity() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    _ = await page.call(
      "loadProducts", with: #"{"productIdentifiers":["\#(LocalFile.coins)","\#(LocalFile.adFree)"]}"#)
    func buy(_ product: String, _ quantity: String) async -> JSON {
      await page.call("purchase", with: #"{"productIdentifier":"\#(product)","quantity":\#(quantity)}"#)
    }
    for (product, quantity) in [(LocalFile.coins, "0"), (LocalFile.coins, "1001"), (LocalFile.adFree, "2")] {
      let refused = await buy(product, quantity)
      #expect(refused.code == "invalidArguments" && refused.message?.contains("quantity is \(quantity)") == true)
    }
    let buyCode = await buy(LocalFile.coins, "1.5").code
    #expect(buyCode == "invalidArguments")
    #expect(harness.client.queue.transactions.isEmpty && harness.shopper.logins == 0)
    #expect(await buy(LocalFile.coins, "3").isFulfilled)
    let transactions = await page.call("getTransactions")
    #expect(transactions["value"]?.items.map { $0["payment"]?["quantity"] } == [.number(3)])
    #expect(harness.client.queue.transactions.map(\.payment.quantity) == [3])
  }

  @Test("JSB-2: settings reach the client, also when the page does not wait for them")
  func settings() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    let delegate: any OnsideDelegate = harness.bridge
    page.begin(
      ("setAppearance", #""dark""#), ("setShouldForceLocalLoginMethods", "true"),
      ("setDefaultCountryCodeAssumption", #""be""#))
    #expect(await page.call("getTransactions").isFulfilled)
    #expect(harness.client.appearance.themeMode == .dark)
    #expect(harness.client.delegate === harness.bridge && delegate.onsideShouldForceLocalLoginMethods())
    #expect(harness.client.account.host.hidesProviders())
    #expect(delegate.onsideDefaultCountryCodeAssumption() == "be")
    page.begin(("setAppearance", #""system""#), ("setDefaultCountryCodeAssumption", "\"\""))
    #expect(await page.call("getTransactions").isFulfilled)
    #expect(harness.client.appearance.themeMode == .auto && delegate.onsideDefaultCountryCodeAssumption() == nil)
  }

  @Test("EVT-1: an event of a page goes by the name that the store knows, without the values that are none")
  func events() throws {
    let text = """
      {"name":"purchaseCompleted","parameters":{"amount":9.99,"level":3,"new":true,"gone":null,"who":{"a":1},
       "tags":["a",1,false,[2]]}}
      """
    let event = try JSONDecoder().decode(TrackEventParameters.self, from: Data(text.utf8))
    #expect(event.eventName == "purchase_completed")
    let verdict = EventRules.apply(name: event.eventName, parameters: event.values.mapValues(\.wire))
    #expect(
      verdict.parameters == [
        "amount": .single(.number(9.99)), "level": .single(.integer(3)), "new": .single(.flag(true)),
        "tags": .list([.text("a"), .integer(1), .flag(false)]),
      ])
    #expect(verdict.notes.count == 3, "gone, the list in tags, who: \(verdict.notes)")
  }

  @Test("EVT-1: of an event's lists and parameters no more is read than counts, and that there was more is noted")
  func hugeEvents() throws {
    func read(_ parameters: String) throws -> [String: OnsideEventValue] {
      let text = #"{"name":"e","parameters":\#(parameters)}"#
      return try JSONDecoder().decode(TrackEventParameters.self, from: Data(text.utf8)).values
    }
    let list = try read("{\"list\":[\(Array(repeating: "null", count: 10_000).joined(separator: ","))]}")
    guard case .array(let elements) = list["list"] else {
      Issue.record("expected .array, got \(list)")
      return
    }
    #expect(elements.count == EventRules.listLimit + 1)
    let notes = EventRules.apply(name: "e", parameters: list.mapValues(\.wire)).notes
    #expect(notes.contains("cut the list list to \(EventRules.listLimit) elements"), "\(notes)")

    let keys = (0..<1000).map { "\"\($0 < 500 ? "1" : "k")\(1000 + $0)\":1" }.joined(separator: ",")
    let many = try read("{\(keys)}")
    #expect(many.count == 500 + EventRules.parameterLimit + 1, "500 keys do not count")
    let verdict = EventRules.apply(name: "e", parameters: many.mapValues(\.wire))
    #expect(verdict.parameters.keys.sorted() == (1500..<1525).map { "k\($0)" })
  }

  @Test("JSB-10: a call that is made many times in one message gets as many results, each under its own id")
  func repeated() async throws {
    var limits = BridgeLimits()
    limits.callsInFlight = 3
    let harness = try BridgeHarness(limits: limits)
    let page = PageDouble(harness.bridge.makeView())
    let calls = (1001...2000).map { PageItem.call(id: $0, function: "getCurrentStorefront") }
    let storefronts = try JSON(page.say(calls.message))["results"]?.items ?? []
    #expect(storefronts.compactMap { $0["id"]?.int } == Array(1001...2000))
    #expect(storefronts.allSatisfy { $0["value"] == .null })
    let another = harness.bridge.makeView().beginPage { _ in }
    let last = [PageItem.call(id: .max, function: "getCurrentStorefront")].message
    #expect(another.receive(last).contains(#"{"id":\#(Int.max),"value":null}"#))
    let more = (3001...3005).map { PageItem.call(id: $0, function: "getTransactions") }
    let others = try JSON(page.say(more.message))["results"]?.items ?? []
    #expect(others.compactMap { $0["id"]?.int } == [3004, 3005] && others.allSatisfy { $0.code == "brokenRequest" })
    #expect(await eventually { page.answered.filter { (3001...3003).contains($0) } == [3001, 3002, 3003] })
  }

  @Test("unchanged transactions are answered without a turn of the main actor")
  func transactionsAtOnce() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    // Nil when it takes a turn of the main actor; it is kept then, until something happens in the queue.
    func atOnce() -> Int? {
      let call = page.begin(("getTransactions", "null")).lowerBound
      return page.result(of: call)?["value"]?.items.count
    }
    _ = await page.call("loadProducts", with: Self.coins)
    let value = await page.call("getTransactions")["value"]
    #expect(value == .array([]))
    #expect(await eventually { atOnce() == 0 })
    #expect(await page.call("purchase", with: Self.buyCoins).isFulfilled)
    #expect(atOnce() != 0, "there is one now")
    #expect(await eventually { page.waiting == 0 })
    let id = try #require(harness.client.queue.transactions.first?.id)
    #expect(await eventually { harness.client.queue.transactions.first?.transactionState == .purchased })
    let transactionStateText = await page.call("getTransactions")["value"]?.items.first?["transactionState"]?.text
    #expect(transactionStateText == "purchased")
    #expect(await eventually { atOnce() == 1 })
    #expect(await page.call("finishTransaction", with: "\"\(id)\"").isFulfilled)
    let secondValue = await page.call("getTransactions")["value"]
    #expect(secondValue == .array([]))
    #expect(await page.call("logout").isFulfilled)
    #expect(atOnce() ?? 0 == 0, "another account may be next")
  }

  @Test("transactions are written before a page asks for them, and again whenever they have changed")
  func transactionsAhead() async throws {
    let harness = try BridgeHarness()
    var page = PageDouble(harness.bridge.makeView())
    func isAhead(of count: Int) -> Bool {
      harness.bridge.transactions.list.flatMap { try? JSON($0.text).items.count } == count
    }
    _ = await page.call("loadProducts", with: Self.coins)
    #expect(await page.call("purchase", with: Self.buyCoins).isFulfilled)
    #expect(
      await eventually { isAhead(of: 1) && harness.client.queue.transactions.first?.transactionState == .purchased })
    page = PageDouble(harness.bridge.makeView())
    let call = page.begin(("getTransactions", "null")).lowerBound
    #expect(page.result(of: call)?["value"]?.items.count == 1)
    let id = try #require(harness.client.queue.transactions.first?.id)
    #expect(await page.call("finishTransaction", with: "\"\(id)\"").isFulfilled)
    #expect(await eventually { isAhead(of: 0) })
  }

  @Test("ACC-4: a page hears of the storefront before its login is fulfilled; afterwards it reads it at once")
  func login() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    page.ready()
    // At once, as soon as nothing that the page has said is ahead of it.
    var isAnswered = false
    for id in 2001...20_000 where !isAnswered {
      isAnswered = try JSON(page.say(.call(id: id, function: "getCurrentStorefront")))["results"]?.items.count == 1
      await Task.yield()
    }
    #expect(isAnswered)
    let call = page.begin(("requestLogin", "null")).lowerBound
    #expect(await eventually { page.result(of: call) != nil || page.heard.contains("onStorefrontChanged") })
    #expect(page.heard == ["onStorefrontChanged"])
    #expect(await eventually { page.result(of: call)?.isFulfilled == true })
    let reply = try JSON(page.say(.call(id: 1002, function: "getCurrentStorefront")))
    #expect(
      reply["results"]?.items.first?["value"]?["countryCode"] == .string("NL"), "without a turn of the main actor")
    #expect(await page.call("logout").isFulfilled)
    let value = await page.call("getCurrentStorefront")["value"]
    #expect(value == .null, "the contract says null")
    #expect(await eventually { page.heard.count == 2 })
  }

  @Test("JSB-10: 10,000 calls in flight settle, those of one function in their order")
  func manyCalls() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    let names = ["getTransactions", "getCurrentStorefront", "finishTransaction", "setAppearance"]
    let parameters = ["null", "null", #""x""#, #""dark""#]
    for start in stride(from: 0, to: 10_000, by: 500) {
      page.begin((start..<start + 500).map { (names[$0 % 4], parameters[$0 % 4]) })
    }
    #expect(await eventually { page.waiting == 0 })
    for kind in 0..<4 {
      let order = page.answered.filter { ($0 - 1) % 4 == kind }
      #expect(order.count == 2500 && order == order.sorted())
    }
  }

  @Test("JSB-9: a control character, U+2028 and an emoji come and go; lone surrogates become U+FFFD")
  func characters() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    _ = await page.call("loadProducts", with: Self.coins)
    let token = #"\u0001 \u2028 \ud83d\ude00 \ud800 \\ud800 \udc00x \ud83d"#
    let parameters = #"{"productIdentifier":"\#(LocalFile.coins)","appAccountToken":"\#(token)"}"#
    #expect(await page.call("purchase", with: parameters).isFulfilled)
    let transactions = await page.call("getTransactions")
    let back = transactions["value"]?.items.first?["payment"]?["appAccountToken"]?.text
    #expect(back == "\u{1} \u{2028} 😀 \u{FFFD} \\ud800 \u{FFFD}x \u{FFFD}")
  }
}
