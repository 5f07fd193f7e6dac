import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@Suite(.timeLimit(.minutes(5)))
struct WireTests {
  static let order = """
    {"id":"01890000-0000-7000-8000-000000000001","state":"open","reason":"PURCHASE","country":"NL",\
    "price":{"amount":499,"currency":"EUR","formatted":"€ 4,99"},"created_at":"2027-01-15T08:00:00Z","finished":false,\
    "original_order_id":"01890000-0000-7000-8000-000000000001","payment_url":"http://127.0.0.1:9/pay/token",\
    "product":{"id":"a","kind":"CONSUMABLE","title":"A","description":"","offers":[],\
    "price":{"amount":499,"currency":"EUR","formatted":"€ 4,99"}}}
    """

  @Test("PRD-7: products are asked for with app, region and languages, without a session while signed out")
  func products() async throws {
    let harness = try RemoteHarness { _ in
      .json(200, #"{"country":"NL","products":[],"invalid_product_ids":["a b&c"]}"#)
    }
    let answer = try await harness.store().products(["a b&c", "d"], country: .netherlands, languages: ["nl-NL", "en"])
    #expect(answer.invalidProductIDs == ["a b&c"])
    let request = try #require(harness.server.requests.first)
    #expect(request.method == "GET" && request.path == "/v1/products")
    #expect(request.query == ["id": ["a b&c", "d"], "country": ["NL"], "language": ["nl-NL,en"]])
    #expect(request.headers["onside-app"] == "io.example.lumen")
    #expect(request.headers["authorization"] == nil && request.headers["cookie"] == nil)
  }

  @Test("QUE-6: an order carries its id as the idempotency key, in lower case")
  func order() async throws {
    let harness = try RemoteHarness { _ in .json(201, Self.order) }
    try harness.signIn()
    let id = try #require(OrderID("01890000-0000-7000-8000-00000000000A"))
    _ = try await harness.store().makeOrder(
      id, request: OrderRequest(productID: "a", country: .netherlands, appAccountToken: "me"))
    let request = try #require(harness.server.requests.first)
    #expect(request.method == "POST" && request.path == "/v1/orders")
    #expect(request.headers["idempotency-key"] == "01890000-0000-7000-8000-00000000000a")
    #expect(request.headers["authorization"] == "Bearer access-1")
    #expect(request.body == #"{"app_account_token":"me","country":"NL","product_id":"a","quantity":1}"#)
  }

  @Test("An order is looked at, cancelled and finished under its own path")
  func paths() async throws {
    let harness = try RemoteHarness { $0.path.hasSuffix("/finish") ? .json(204, "") : .json(200, Self.order) }
    try harness.signIn()
    let store = harness.store()
    let id = try #require(OrderID("01890000-0000-7000-8000-000000000001"))
    _ = try await store.order(id)
    _ = try await store.cancelOrder(id, because: .screenClosed)
    try await store.finishOrder(id, of: SignedIn.alice.accountID)
    let path = "/v1/orders/01890000-0000-7000-8000-000000000001"
    #expect(
      harness.server.requests.map { "\($0.method) \($0.path)" } == [
        "GET \(path)", "POST \(path)/cancel", "POST \(path)/finish",
      ])
    #expect(harness.server.requests[1].query == ["reason": ["screen_closed"]])
    #expect(harness.server.requests.last?.headers["content-length"] == "0")
  }

  @Test("HIS-1: the history is handed on byte for byte, and something else is refused")
  func history() async throws {
    let harness = try RemoteHarness { _ in .json(200, "aGVhZA.cGF5bG9hZA.c2ln") }
    try harness.signIn()
    let signedHistory = try await harness.store().signedHistory()
    #expect(signedHistory == "aGVhZA.cGF5bG9hZA.c2ln")
    let wrong = try RemoteHarness { _ in .json(200, "<html></html>") }
    try wrong.signIn()
    await #expect(throws: StoreError.self) { try await wrong.store().signedHistory() }
  }

  @Test("ACC-8: a hosted page is shown with the way back and a state of its own; one that is not secure is not shown")
  func hostedPages() async throws {
    let harness = try RemoteHarness { _ in .json(200, #"{"url":"https://pages.example/methods/token?x=1"}"#) }
    try harness.signIn()
    let screens = ScriptedScreens { _, _ in .dismissed }
    try await harness.store().presentPaymentMethods(on: screens)
    try await harness.store().presentPaymentMethods(on: screens)
    let states = screens.shown.flatMap { $0.queryValues(named: "state") }
    #expect(
      screens.shown.first?.absoluteString
        == "https://pages.example/methods/token?x=1&return_uri=lumen%3A%2F%2Fonside&state=\(states[0])")
    #expect(Set(states).count == 2 && states.allSatisfy { $0.count == 22 })
    for address in ["http://pages.example/methods/token", "file:///etc/passwd", "javascript:alert(1)"] {
      let bad = try RemoteHarness { _ in .json(200, #"{"url":"\#(address)"}"#) }
      try bad.signIn()
      await #expect(throws: StoreError.self) { try await bad.store().presentPaymentMethods(on: screens) }
    }
    #expect(screens.shown.count == 2)
  }

  @Test("The page of the subscriptions is asked for with the app's token, and shown with its group and the way back")
  func subscriptionsPage() async throws {
    let harness = try RemoteHarness { _ in .json(201, #"{"url":"https://pages.example/subscriptions/token"}"#) }
    try harness.signIn()
    let screens = ScriptedScreens { _, _ in .dismissed }
    try await harness.store().presentSubscriptions(group: "plans & more", appAccountToken: "user-1", on: screens)
    let request = try #require(harness.server.requests.last)
    #expect(request.path == "/v1/subscriptions/session" && request.body == #"{"app_account_token":"user-1"}"#)
    let shown = try #require(screens.shown.first)
    #expect(shown.queryValues(named: "group") == ["plans & more"])
    #expect(shown.queryValues(named: "return_uri") == ["lumen://onside"])
  }

  @Test("SUB-11: the page for codes is asked for with the app's token, and shown with the way back")
  func codePage() async throws {
    let harness = try RemoteHarness { _ in .json(201, #"{"url":"https://pages.example/redeem/token?app=lumen"}"#) }
    try harness.signIn()
    let screens = ScriptedScreens { screen, _ in
      #expect(screen == .codeRedemption)
      return .dismissed
    }
    try await harness.store().presentCodeRedemption(appAccountToken: "user-1", on: screens)
    let request = try #require(harness.server.requests.last)
    #expect(request.path == "/v1/redeem/session" && request.body == #"{"app_account_token":"user-1"}"#)
    #expect(
      screens.shown.first?.absoluteString
        .hasPrefix("https://pages.example/redeem/token?app=lumen&return_uri=lumen%3A%2F%2Fonside&state=") == true)
  }

  @Test("The refund page is asked for by its order, and shown with the way back")
  func refundPage() async throws {
    let harness = try RemoteHarness { _ in .json(201, #"{"url":"https://pages.example/refund/token"}"#) }
    try harness.signIn()
    let (screens, id) = (ScriptedScreens { _, _ in .dismissed }, OrderID(UUID()))
    try await harness.store().presentRefundRequest(of: id, on: screens)
    #expect(harness.server.requests.last?.path == "/v1/orders/\(id)/refund-page")
    #expect(
      screens.shown.first?.absoluteString
        .hasPrefix("https://pages.example/refund/token?return_uri=lumen%3A%2F%2Fonside&state=") == true)
  }

  @Test("The payment page of an open order is shown; a screen that cannot be shown is said so")
  func payment() async throws {
    let harness = try RemoteHarness { _ in .json(200, Self.order) }
    try harness.signIn()
    let store = harness.store()
    let order = try await store.order(try #require(OrderID("01890000-0000-7000-8000-000000000001")))
    let screens = ScriptedScreens { _, page in .redirected(page) }
    let presentPayment = try await store.presentPayment(of: order, on: screens)
    #expect(presentPayment == .returned)
    #expect(screens.shown.first?.path() == "/pay/token")
    let secondPresentPayment = try await store.presentPayment(of: order, on: ScriptedScreens { _, _ in .dismissed })
    #expect(secondPresentPayment == .closed)
    let thirdPresentPayment = try await store.presentPayment(of: order, on: BrowserElsewhere())
    #expect(thirdPresentPayment == .unseen)
    let broken = ScriptedScreens { _, _ in throw ScreenPresentationError("no window") }
    await #expect(throws: StoreError.presentationFailed) { try await store.presentPayment(of: order, on: broken) }
  }
}

/// A browser that is not the app's own: nothing tells when the user closes its tab.
private struct BrowserElsewhere: ScreenPresenter {
  var seesPagesClose: Bool { false }

  func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (URL) async throws -> URL
  ) async throws -> ScreenOutcome { .dismissed }
}
