import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreSales
@testable import StoreWeb

/// The account id that all apps share, in everything that one app can read.
@Suite("Account ids hidden from apps", .timeLimit(.minutes(5)))
struct HiddenAccountTests {
  @Test("ACC-9: no address, header or page of a walk through the hosted pages contains the account's id")
  func pages() async throws {
    let shop = try await Self.shop()
    try await shop.test { client in
      let (browser, record) = (Browser(client), Record())
      browser.onAnswer = record.add
      try await shop.login.logIn(browser)
      let code = try #require(browser.answer["code"])
      let exchange = try await LoginStore.token(client, parameters: LoginStore.exchange(code))
      record.add("/oauth/token", exchange)
      let tokens = try exchange.message(TokenMessage.self)
      let walk = Walk(shop: shop, client: client, tokens: tokens, browser: browser, record: record)
      try await walk.consent()
      try await walk.redeem()
      let paid = try await walk.buy()
      try await walk.askForRefund(of: paid)
      try await walk.manageSubscriptions()
      try await walk.manageMethods()
      try await walk.ownPages()
      let id = shop.store.account(of: tokens).uuid
      #expect(record.addresses(with: id) == [])
      for page in [
        "/login/", "/oauth/authorize?", "/redeem?", "/pay/", "/refund/", "/subscriptions/", "/account/subscriptions?",
        "/methods/", "/receipt/", "/shop/", "/account",
      ] { #expect(record.answers.contains { $0.address.hasPrefix(page) && $0.status.code < 400 }, "\(page)") }
    }
  }

  @Test("ACC-9: no answer of the interface for apps contains the account's id, also inside signed documents")
  func answers() async throws {
    let world = try await InterfaceWorld(unlimited: true)
    try await world.test { client in
      let record = Record()
      for (route, _) in world.application.routes where route.caller != .merchant {
        var probe = world.probe(route)
        Role.user.sign(&probe, in: world)
        record.add(route.path, try await probe.send(client))
      }
      let id = try #require(UUID(uuidString: InterfaceWorld.user))
      #expect(record.addresses(with: id) == [])
      for route in [Route.account, .history, .entitlements, .sync, .createOrder] {
        #expect(record.answers.contains { $0.address == route.path && $0.status.kind == .successful }, "\(route.path)")
      }
    }
  }

  @Test("The search for an account's id finds it as text, in hexadecimal digits, and inside base64url")
  func search() throws {
    let id = try #require(UUID(uuidString: InterfaceWorld.user))
    let bytes = withUnsafeBytes(of: id.uuid) { Array($0) }
    for text in [
      "a=\(id.lowercase)", id.uuidString, id.uuidString.replacing("-", with: ""), Base64URL.encode([1, 2] + bytes),
      "e30.\(Base64URL.encode(Array(#"{"sub":"\#(id.lowercase)"}"#.utf8))).AA",
    ] { #expect(Record.contains(id, in: text), "\(text)") }
    #expect(!Record.contains(id, in: "\(UUID().uuidString) \(Base64URL.encode(Array(bytes.reversed())))"))
  }

  /// A shop whose plan "pro" has an offer for the code "SPRING26".
  private static func shop() async throws -> ShopStore {
    let shop = try await ShopStore()
    let offer = Offer(
      id: "spring", kind: .code, mode: .payUpFront, period: .oneMonth, periodCount: 1,
      prices: [.netherlands: Money(minorUnits: 499, currency: .eur)])
    let core = shop.store.core
    let products = core.catalogue.catalogue(of: ShopStore.app).products.map { product in
      var product = product
      if product.id == "pro" { product.subscription?.offers = [offer] }
      return product
    }
    try await core.catalogue.replace(try Catalogue(products: products), of: ShopStore.app)
    _ = try await core.offerCodes.createCustom(
      "SPRING26", limit: 9, product: "pro", offer: "spring", of: ShopStore.app, expiresAt: nil)
    return shop
  }
}

/// The answers of a test, and a search for an id in them.
private final class Record {
  struct Answer {
    let address: String
    let status: HTTPResponse.Status
    let text: String
  }

  private(set) var answers: [Answer] = []

  func add(_ address: String, _ response: TestResponse) {
    let headers = response.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    answers.append(
      Answer(
        address: address, status: response.status, text: "\(address)\n\(headers)\n\(String(buffer: response.body))"))
  }

  /// The addresses that contain an id, or whose answers do.
  func addresses(with id: UUID) -> [String] { answers.filter { Self.contains(id, in: $0.text) }.map(\.address) }

  static func contains(_ id: UUID, in text: String) -> Bool {
    let bytes = withUnsafeBytes(of: id.uuid) { Array($0) }
    func isIn(_ plain: String) -> Bool {
      plain.lowercased().replacing("-", with: "").contains(id.lowercase.replacing("-", with: ""))
    }
    if isIn(text) { return true }
    let words = text.split { !$0.isASCII || !($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    return words.contains { word in
      guard word.utf8.count >= 22, let decoded = Base64URL.decode(String(word)) else { return false }
      return isIn(String(decoding: decoded, as: UTF8.self))
        || decoded.indices.contains { decoded[$0...].starts(with: bytes) }
    }
  }
}

/// A user's way through the hosted pages of an app.
private struct Walk {
  let shop: ShopStore
  let client: any TestClientProtocol
  let tokens: TokenMessage
  let browser: Browser
  let record: Record

  private static let back = [("return_uri", LoginStore.redirect), ("state", "secret")]

  /// Asks the store, as the app, for the address of a page.
  private func address(_ path: String) async throws -> String {
    let response = try await client.execute(
      uri: path, method: .post, headers: [.authorization: "Bearer \(tokens.accessToken)"]
    ) { $0 }
    record.add(path, response)
    let page = try response.message(HostedPageMessage.self)
    return "\(page.url.path)?\(page.url.query ?? "")".appendingQuery(Self.back)
  }

  /// Sends the form of the page at the browser's own address.
  private func submitHere(_ ending: String = "", with fields: [String: String]) async throws {
    let page = browser.path.split(separator: "?")[0].split(separator: "/").last.map(String.init) ?? ""
    try await browser.submit(page + ending, with: fields)
  }

  func consent() async throws {
    try await browser.get(LoginStore.authorize())
    try await browser.submit("/continue")
    #expect(browser.leftFor?.contains("code=") == true)
  }

  /// Redeems a code, with a login on the way.
  func redeem() async throws {
    let session = browser.cookies
    browser.cookies = [:]
    try await browser.get(try await address(Route.redemptionSession.path))
    #expect(browser.path.hasPrefix("/login/"))
    browser.cookies = session
    try await browser.get(try await address(Route.redemptionSession.path))
    for code in ["WRONG-ONE", "SPRING26"] {
      let hidden = browser.page.all("input").filter { $0["type"] == "hidden" }
        .map { ($0["name"] ?? "", ($0["value"] ?? "").replacing("&amp;", with: "&")) }
      try await browser.get("/redeem".appendingQuery(hidden + [("code", code)]))
    }
    try await browser.submit("/redeem")
    try await submitHere(with: ["method": "card_succeeds"])
    #expect(browser.answer["outcome"] == "paid")
  }

  /// Buys coins, and opens their receipt.
  func buy() async throws -> OrderID {
    let order = try await shop.order(client, tokens: tokens)
    try await browser.get(order.path.appendingQuery(Self.back))
    try await submitHere(with: ["method": "card_succeeds"])
    #expect(browser.answer["outcome"] == "paid")
    try await browser.get(order.path.replacing("/pay/", with: "/receipt/"))
    return order.id
  }

  func askForRefund(of order: OrderID) async throws {
    try await browser.get(try await address(Route.orderRefundPage.path(order.description)))
    try await submitHere(with: ["reason": "unintended"])
    #expect(browser.status == .ok)
  }

  func manageSubscriptions() async throws {
    try await browser.get(try await address(Route.subscriptionsSession.path))
    try await browser.submit("/account/subscriptions", with: ["action": "renewal", "renewal": "off"])
    #expect(browser.path.contains("note="))
  }

  func manageMethods() async throws {
    try await browser.get(try await address(Route.paymentMethodsSession.path))
    try await submitHere(with: ["card": "succeeds", "do": "add"])
    #expect(browser.status == .ok)
  }

  /// The store's own pages that hosted pages link to; not the export of the account's data.
  func ownPages() async throws {
    for path in ["/shop/\(ShopStore.app)", "/account", "/account/logins", "/account/data", "/redeem"] {
      try await browser.get(path)
      #expect(browser.status == .ok, "\(path)")
    }
  }
}
