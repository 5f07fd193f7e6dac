import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideVault
import StoreBaseTestSupport

@testable import OnsideStore
@testable import StoreAccounts
@testable import StorePayments
@testable import StoreSales
@testable import StoreWeb

/// A request of one route.
struct Probe: Sendable {
  var method: HTTPRequest.Method
  var uri: String
  var headers: HTTPFields = [:]
  var body = ""

  func send(_ client: any TestClientProtocol) async throws -> TestResponse {
    try await client.execute(
      uri: uri, method: method, headers: headers, body: body.isEmpty ? nil : ByteBuffer(string: body))
  }
}

extension InterfaceWorld {
  /// A valid request of a route, without credentials.
  func probe(_ route: Route) -> Probe {
    var probe = Probe(method: route.method == .get ? .get : .post, uri: filled(route))
    switch route {
    case .authorize:
      probe.uri +=
        "?response_type=code&client_id=\(Self.app)&redirect_uri=http://127.0.0.1:9/callback&state=s"
        + "&code_challenge=\(String(repeating: "a", count: 43))&code_challenge_method=S256"
    case .token: probe.form("grant_type=refresh_token&refresh_token=none&client_id=\(Self.app)")
    case .walletChallenge: probe.uri += "?account=GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"
    case .walletToken: probe.json(#"{"transaction":"AAAA"}"#)
    case .revoke: probe.form("token=none&client_id=\(Self.app)")
    case .subscriptionScreen, .redeemScreen: probe.uri += "?app=\(Self.app)"
    case .products: probe.uri += "?id=gold&id=none&country=NL"
    case .createOrder:
      probe.json(#"{"product_id":"gold","country":"NL","quantity":1}"#)
      probe.headers[.idempotencyKey] = UUID.version7(at: store.clock.now(), random: [1]).uuidString
    case .attribution: probe.json(#"{"installation_id":"\#(Self.user)","platform":"linux"}"#)
    case .events:
      probe.json(
        #"{"installation_id":"\#(Self.user)","events":[{"id":"\#(Self.user)","name":"a","parameters":{},"at":1}]}"#)
    case .serverEvents:
      probe.json(
        #"{"events":[{"event_name":"a","payload":{},"event_datetime":"2026-11-21T09:30:00Z","#
          + #""event_id":"\#(Self.user)","installation_id":"\#(Self.user)"}]}"#)
    case .merchantCustomers: probe.uri += "?app_account_token=user-4711"
    case .merchantRefund: probe.act(#"{"amount":100}"#)
    case .merchantGrant: probe.act(#"{"product_id":"gold"}"#)
    case .merchantExtension: probe.act(#"{"days":1}"#)
    case .merchantStop: probe.act("{}")
    case .vaultEnrol: probe.json(#"{"enrolment":"AAAAAAAAAAAAAAAAAAAAAA"}"#)
    case .vaultEvaluate: probe.json(#"{"blinded":"\#(WireBytes(wallet.blinded("1234").element))"}"#)
    case .vaultSeal: probe.json(#"{"tag_hash":"\#(WireBytes(wallet.tagHash))"}"#)
    case .vaultConfirm: probe.json(#"{"unlock_tag":"\#(WireBytes(wallet.tag))"}"#)
    case .providerEvents:
      probe.json(
        #"{"event_id":"e1","type":"pending","payment_id":"p1","order_id":"\#(places.open)","#
          + #""amount":499,"currency":"EUR"}"#)
    case _ where route.method == .post && route.caller == .browser: probe.form("method=card_succeeds&price=499%20EUR")
    default: break
    }
    return probe
  }

  private func filled(_ route: Route) -> String {
    var values = ["code": "rate_limited", "app": Self.app, "name": StyleSheet.current.fileName]
    values["provider"] = store.core.providers.active.name
    values["attempt"] = places.loginPage
    values["id"] = route == .cancelOrder ? places.cancellable : places.paid
    values["order_id"] = [.merchantExtension, .merchantStop].contains(route) ? places.subscribed : places.paid
    values["subject"] = Customer(account: Self.user, app: Self.app).subject
    if route.caller == .device { values["id"] = wallet.enrolment.description }
    values["token"] = route == .receiptPage ? places.receiptPage : places.paymentPage
    if route.path.hasPrefix("/refund/") { values["token"] = places.refundPage }
    if route == .subscriptionScreen { values["token"] = places.subscriptionsPage }
    if route == .redeemScreen { values["token"] = places.redeemPage }
    if route.path.hasPrefix("/methods") { values["token"] = places.methodsPage }
    return values.reduce(route.path) { $0.replacing("{\($1.key)}", with: $1.value) }
  }
}

extension Probe {
  mutating func form(_ text: String) {
    body = text
    headers[.contentType] = "application/x-www-form-urlencoded"
  }

  /// An act of a merchant's server, with an idempotency key of its own.
  mutating func act(_ text: String) {
    json(text)
    headers[.idempotencyKey] = uri.replacing("/", with: "-")
  }

  mutating func json(_ text: String) {
    body = text
    headers[.contentType] = "application/json"
  }
}
