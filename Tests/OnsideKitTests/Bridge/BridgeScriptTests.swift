import Foundation
import OnsideCommerce
import Testing

@testable import OnsideKit

@Suite("The bridge's descriptions", .timeLimit(.minutes(5)))
struct BridgeScriptTests {
  private static let documented = [
    "initializeOnside", "setAppearance", "setShouldForceLocalLoginMethods", "setDefaultCountryCodeAssumption",
    "trackEvent", "logout", "requestLogin", "presentPaymentMethodsManager", "getCurrentStorefront", "loadProducts",
    "purchase", "restoreCompletedTransactions", "getTransactions", "finishTransaction", "getAttributionMetadata",
    "getSignedInAppsHistory",
    // Additions.
    "setAppAccountToken", "cancelLogin", "cancelPurchase", "presentRefundRequest", "presentSubscriptionsManager",
    "presentCodeRedemption", "getEntitlements", "getSignedEntitlements",
    "getOfferings",
    "getSubscriptionStatus",
  ]

  private static var file: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/onside.d.ts")
  }

  @Test("JSB-1: the table has the documented functions, and script and declarations have the table's")
  func functions() {
    #expect(Set(BridgeFunction.all.map(\.name)) == Set(Self.documented))
    #expect(BridgeFunction.byName.count == BridgeFunction.all.count)
    for name in BridgeFunction.all.map(\.name) + BridgeCallback.all.map(\.name) {
      #expect(BridgeScript.webKitPage.contains("'\(name)'"))
      #expect(BridgeScript.typeDeclarations.contains(" \(name)"))
    }
  }

  @Test("JSB-1: docs/onside.d.ts is what the tables say")
  func declarationsFile() throws {
    if ProcessInfo.processInfo.environment["ONSIDE_WRITE_DECLARATIONS"] != nil {
      try Data(BridgeScript.typeDeclarations.utf8).write(to: Self.file)
    }
    let result = try String(contentsOf: Self.file, encoding: .utf8)
    #expect(
      result == BridgeScript.typeDeclarations,
      "Write it anew: ONSIDE_WRITE_DECLARATIONS=1 swift test --filter BridgeScriptTests")
  }

  @Test("JSB-1: every type that the declarations name is declared")
  func typesAreDeclared() {
    let declared = Set(BridgeType.all.map(\.name)).union(["OnsideBridgeError", "OnsideJSBridge"])
    let used = BridgeScript.typeDeclarations.matches(of: /\b(?:JS|Onside)[A-Z][A-Za-z]+/).map { String($0.0) }
    #expect(Set(used).subtracting(declared).isEmpty)
  }

  @Test("JSB-14: what goes beyond the published interface is marked, and optional")
  func additions() {
    let fields = BridgeType.all.flatMap(\.fields).filter { $0.summary != nil }
    #expect(fields.count >= 9)
    for field in fields { #expect(field.isOptional, "\(field.name)") }
    for function in BridgeFunction.all where function.isAddition {
      #expect(function.declaration(indent: "").contains("\(function.name)?: ("))
    }
  }

  @Test("JSB-1: values have exactly the fields that are declared")
  func fields() throws {
    let product = Self.subscription
    let transaction = Self.transaction(of: product)
    try compare(JSPaymentTransaction(transaction), "JSPaymentTransaction")
    try compare(
      JSProductsResponse(OnsideProductsResponse(products: [product], invalidProductIdentifiers: [])),
      "JSProductsResponse")
    try compare(OnsideStorefront(id: "1", countryCode: "NL"), "JSStorefront")
    try compare(OnsideAttributionMetadata(refererUrl: URL(string: "https://lumen.example")), "JSAttributionMetadata")
    try compare(JSSignedInAppsHistory(OnsideSignedInAppsHistory(data: Data("a.b.c".utf8))), "JSSignedInAppsHistory")
  }

  @Test("PRD-6: prices go to pages exactly, in major units, with the storefront's text")
  func prices() throws {
    let yen = try #require(Currency(code: "JPY"))
    let prices = [
      Money(minorUnits: 99, currency: .eur), Money(minorUnits: 1005, currency: .eur),
      Money(minorUnits: 120, currency: yen),
    ]
    let values = try prices.map { try JSON(JSONText(JSPrice(OnsidePrice(money: $0, formatted: "text"))).text)["value"] }
    #expect(values == [.number(0.99), .number(10.05), .number(120)])
  }

  @Test("JSB-3: the errors that are declared are those that the SDK has")
  func errors() throws {
    try check(OnsideLoginError.self, "OnsideLoginError")
    try check(OnsidePaymentMethodsManagerError.self, "OnsidePaymentMethodsManagerError")
    try check(OnsideRefundRequestError.self, "OnsideRefundRequestError")
    try check(OnsideProductsRequestError.self, "OnsideProductsRequestError")
    try check(OnsidePaymentTransactionError.self, "OnsidePaymentTransactionError")
    try check(OnsidePaymentQueueRequestRestoreError.self, "OnsidePaymentQueueRequestRestoreError")
    try check(OnsideTransactionsRestoreError.self, "OnsideTransactionsRestoreError")
    try check(OnsideAttributionMetadataError.self, "OnsideAttributionMetadataError")
    try check(OnsideSignedInAppsHistoryRequestError.self, "OnsideSignedInAppsHistoryRequestError")
  }

  /// Every object in the JSON of a value has the fields of its type, and no others.
  private func compare(_ value: some Encodable, _ type: String) throws {
    compare(try JSON(JSONText(value).text), type)
  }

  private func compare(_ json: JSON, _ name: String) {
    guard let type = BridgeType.all.first(where: { $0.name == name }), !type.fields.isEmpty else { return }
    #expect(json.keys == Set(type.fields.map(\.name)), "\(name)")
    for field in type.fields {
      guard let inner = json[field.name] else { continue }
      let element = field.type.hasSuffix("[]") ? String(field.type.dropLast(2)) : field.type
      for item in field.type.hasSuffix("[]") ? inner.items : [inner] { compare(item, element) }
    }
  }

  private func check<Failure: Decodable>(_ type: Failure.Type, _ name: String) throws {
    let declaration = try #require(BridgeType.all.first { $0.name == name }?.declaration)
    let cases = declaration.matches(of: /\{ (\w+): \{\} \}/).map { String($0.1) }
    #expect(!cases.isEmpty)
    for one in cases { _ = try JSONDecoder().decode(type, from: Data(#"{"\#(one)":{}}"#.utf8)) }
  }

  private static var subscription: OnsideProduct {
    let price = OnsidePrice(money: Money(minorUnits: 99, currency: .eur), formatted: "€ 0,99")
    let offer = OnsidePricePeriod(price: price, period: .week(1), paymentMode: .freeTrial)
    return OnsideProduct(
      productIdentifier: "pro", localizedTitle: "Pro", localizedDescription: "All of it",
      iconUrl: URL(string: "https://lumen.example/pro.png"), subscriptionGroupIdentifier: "pro",
      subscriptionPeriod: .month(1), price: price, introductoryPrice: offer, discountedPrice: offer,
      productType: .autoRenewableSubscription,
      offers: [OnsideProductOffer(offerIdentifier: "back", kind: .winBack, terms: offer)])
  }

  private static func transaction(of product: OnsideProduct) -> OnsidePaymentTransaction {
    var payment = OnsidePayment(product: product)
    payment.appAccountToken = "alice"
    payment.quantity = 3
    payment.offer = OnsidePaymentOffer(offerIdentifier: "back", signature: "a.b.c")
    return OnsidePaymentTransaction(
      id: UUID(), transactionIdentifier: "1", originalTransactionIdentifier: "1", payment: payment,
      transactionState: .failed, storefront: OnsideStorefront(id: "1", countryCode: "NL"), error: .cancelled,
      failure: .notAvailable, date: .distantPast, purchaseDate: .distantPast, expirationDate: .distantPast,
      revocationDate: .distantPast,
      signedPurchase: "a.b.c")
  }
}

@Suite("Origins of pages", .timeLimit(.minutes(5)))
struct WebOriginTests {
  @Test(
    "JSB-6: an origin is scheme, host and port, whatever the spelling",
    arguments: [
      ("https://shop.example", "https://shop.example"), ("HTTPS://Shop.Example:443/a?b#c", "https://shop.example"),
      ("http://127.0.0.1:8091/", "http://127.0.0.1:8091"), ("http://shop.example:80", "http://shop.example"),
      ("https://shop.example:80/", "https://shop.example:80"), ("https://[::1]:8443/x", "https://[::1]:8443"),
      ("https://me:secret@shop.example/", "https://shop.example"), ("lumen://app/index.html", "lumen://app"),
      ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example"),
    ])
  func origins(_ address: String, _ origin: String) {
    #expect(WebOrigin(address)?.description == origin)
    #expect(WebOrigin(address) == WebOrigin(origin))
  }

  @Test(
    "JSB-6: opaque origins, and addresses that may be read in two ways, have none",
    arguments: [
      "", "about:blank", "about:srcdoc", "data:text/html,x", "blob:https://shop.example/1", "file:///shop.html",
      "file://shop.example/shop.html",
      "javascript:0", "null", "shop.example", "//shop.example", "https:shop.example", "https:///x", "https://",
      "https://shop.example:0/", "https://shop.example:99999/", "https://shop.example:port/",
      "https://shop.example\\.evil",
      "https://evil\\@shop.example", " https://shop.example", "https://shop.example\n", "https://shop%2eexample/",
      "https://sh\u{F6}p.example/", "view-source:https://shop.example",
    ])
  func opaque(_ address: String) {
    #expect(WebOrigin(address) == nil)
  }

  @Test("JSB-6: a host that only looks alike is another origin")
  func lookAlikes() {
    let shop = WebOrigin("https://shop.example")
    for address in [
      "https://shop.example.evil.example", "https://shop.example@evil.example", "https://sub.shop.example",
      "https://shop.example.", "http://shop.example", "https://shop.example:8443", "https://evil.example/shop.example",
    ] { #expect(WebOrigin(address) != shop, "\(address)") }
  }
}
