import Foundation
import HTTPTypes
import HeadlessChromium
import OnsideAPI
import OnsideCommerce
import ScriptedBrowser
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales
@testable import StoreStripe

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One run from end to end against a fake of Stripe that is not of this project, with its card fields in a browser.
@Suite(
  "Stripe: localstripe and Chromium", .serialized,
  .enabled(if: Localstripe.isHere && Chromium.path != nil, "needs localstripe (script/setup) and Chromium"),
  .timeLimit(.minutes(5)))
struct LocalstripeTests {
  @Test("a card is entered and saved, bought with, and refunded in part; the books agree")
  func endToEnd() async throws {
    let fake = try await Localstripe()
    let shop = try await ShopStore(
      clock: ManualClock(Date()), providers: [{ StripePaymentProvider(fake.settings, $0) }])
    try await shop.login.live { address in
      try await fake.sendWebhooks(to: "\(address)/providers/stripe/events")
      let chromium = try await Chromium.start()
      do {
        try await chromium.show(width: 390)
        try await Self.walk(chromium, shop: shop, address: address)
        await chromium.stop()
      } catch {
        await chromium.stop()
        throw error
      }
    }
  }

  private static func walk(_ chromium: Chromium, shop: ShopStore, address: URL) async throws {
    try await logIn(chromium, shop: shop, address: address)
    let payment = URL(string: try await chromium.evaluate("location.href") as String)
    let token = try #require(payment?.lastPathComponent)
    let page = try #require(try await shop.store.core.payments.page(token))
    try await saveCard(chromium, shop: shop, account: page.accountID, address: address)
    try await chromium.open("\(address)/pay/\(token)")
    try await press(chromium, "e.tagName === 'BUTTON' && e.textContent.startsWith('Pay')")
    try await chromium.settle { $0.contains("/receipt/") }
    let order = try #require(OrderID(page.orderID))
    try await shop.store.core.refunds.refund(
      order.uuid, amount: Money(minorUnits: 40, currency: .eur), because: .refund)
    try await shop.store.core.deliverOutbox()
    let states = try await shop.store.core.refunds.refunds(of: order.uuid).map(\.state)
    #expect(states == [.settled])
    let bookFaults = try await shop.store.bookFaults()
    #expect(bookFaults == [])
    let ledger = try await shop.store.ledger(order)
    #expect(ledger.contains { $0.kind == "sale" && $0.debit == "provider:stripe" })
  }

  /// Chooses the coins, and logs in on the way to their payment page.
  private static func logIn(_ chromium: Chromium, shop: ShopStore, address: URL) async throws {
    try await chromium.open("\(address)/shop/\(ShopStore.app)")
    try await press(chromium, "e.tagName === 'BUTTON' && e.textContent === 'Buy'")
    try await chromium.settle { $0.contains("/login/") }
    try await chromium.tab(to: "e.id === 'phone'")
    try await chromium.type("+31 6 12345689")
    try await chromium.press(.enter)
    try await chromium.settle { $0.hasSuffix("/code") }
    try await chromium.tab(to: "e.id === 'code'")
    try await chromium.type(try await shop.login.code("+31612345689"))
    try await chromium.press(.enter)
    try await chromium.settle { $0.hasSuffix("/region") }
    try await press(chromium, "e.tagName === 'BUTTON' && e.textContent === 'Create account'")
    try await chromium.settle { $0.contains("/pay/") }
  }

  /// Saves a card on the page that an app opens.
  private static func saveCard(
    _ chromium: Chromium, shop: ShopStore, account: String, address: URL
  ) async throws {
    let token = "t".padding(toLength: 32, withPad: "t", startingAt: 0)
    try await shop.store.core.dependencies.database.write(at: shop.store.clock.now()) {
      try MethodsSessionRecords.insert(token, for: Customer(account: account, app: ShopStore.app), in: $0)
    }
    try await chromium.open("\(address)/methods/\(token)")
    try await press(chromium, "e.tagName === 'BUTTON' && e.textContent === 'Add card'")
    try await chromium.settle { $0.contains("/setup") }
    try await chromium.wait(until: "document.querySelector('#stripe-card input[placeholder=number]')")
    for (field, text) in [("number", "4242424242424242"), ("exp_month", "12"), ("exp_year", "34"), ("cvc", "123")] {
      let _: Bool = try await chromium.evaluate(
        "(document.querySelector('#stripe-card input[placeholder=\(field)]').focus(), true)")
      try await chromium.type(text)
    }
    try await press(chromium, "e.tagName === 'BUTTON' && e.value === 'approve'")
    try await chromium.settle { $0.contains("/methods/") && !$0.contains("/setup") }
    let text: String = try await chromium.evaluate("document.body.textContent")
    #expect(text.contains("Visa, ends in 4242"))
  }

  private static func press(_ chromium: Chromium, _ condition: String) async throws {
    try await chromium.tab(to: condition)
    try await chromium.press(.enter)
  }
}

/// A process of `script/testing/run-localstripe.py`.
final class Localstripe: Sendable {
  private static let python = ChildServer.path(Repository.root.appending(path: ".build/python/bin/python").path())
  private static let secret = "whsec_local"

  /// Whether `script/setup` has installed it.
  static var isHere: Bool {
    let libraries = Repository.root.appending(path: ".build/python/libraries")
    return python != nil && ((try? String(contentsOf: libraries, encoding: .utf8)) ?? "").contains("localstripe")
  }

  let settings: StripeSettings
  private let folder: TemporaryFolder
  private let child: ChildServer
  private let address: String

  init() async throws {
    folder = try TemporaryFolder()
    let script = Repository.root.appending(path: "script/testing/run-localstripe.py").path()
    child = try ChildServer(
      try #require(Self.python), arguments: ["-B", script], output: folder.file("localstripe"))
    address = "http://127.0.0.1:" + (try await child.line(0))
    var configuration = StripeConfiguration()
    configuration.secretKey = ConfigurationSecret("sk_test_12345")
    configuration.publishableKey = "pk_test_12345"
    configuration.webhookSecret = ConfigurationSecret(Self.secret)
    configuration.apiAddress = URL(string: address)
    configuration.scriptAddress = URL(string: address + "/js.stripe.com/v3/")
    settings = try StripeSettings(configuration, in: .sandbox)
  }

  /// Sends the events of payments from now on.
  func sendWebhooks(to url: String) async throws {
    var request = URLRequest(url: try #require(URL(string: address + "/_config/webhooks/store")))
    request.httpMethod = "POST"
    request.setValue("Bearer sk_test_12345", forHTTPHeaderField: "Authorization")
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(
      #"{"url":"\#(url)","secret":"\#(Self.secret)","events":["payment_intent.succeeded"]}"#.utf8)
    let (_, response) = try await URLSession.shared.answer(to: request)
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
  }
}
