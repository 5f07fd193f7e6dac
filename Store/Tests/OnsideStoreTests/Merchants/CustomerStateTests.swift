import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import OnsideVerify
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreMerchants
@testable import StoreSales

@Suite("State of customers", .timeLimit(.minutes(5)))
struct CustomerStateTests {
  /// Asks as the app's server does.
  private func get(
    _ uri: String, of app: String = TestShop.app.id, by shopper: Shopper
  ) async throws -> TestResponse {
    let key = try await shopper.store.core.apiKeys.add(app: app, name: "backend", scopes: [.read])
    return try await shopper.client.execute(
      uri: uri, method: .get, headers: [.authorization: "Bearer \(key.text)"])
  }

  private func customer(_ shopper: Shopper) async throws -> MerchantCustomerMessage {
    let answer = try await get(Route.merchantCustomer.path(shopper.subject()), by: shopper)
    #expect(answer.status == .ok && answer.headers[.contentType] == "application/json")
    return try answer.message(MerchantCustomerMessage.self)
  }

  private func ids(of orders: [PayloadValue]) -> [PayloadValue?] {
    orders.map { order in
      guard case .object(let fields) = order else { return nil }
      return fields["order_id"]
    }
  }

  @Test("MER-7: a customer has entitlements, subscriptions, its orders and the sequence of its newest event")
  func state() async throws {
    try await TestStore().shop { shopper in
      let first = try await shopper.buy("remove_ads", token: "user-1")
      shopper.store.clock.advance(by: .seconds(1))
      let subscriber = try await shopper.subscribe()
      let customer = try await customer(shopper)
      #expect(customer.subject == shopper.subject() && customer.appAccountToken == "user-1")
      #expect(customer.entitlements.map(\.entitlement.productID) == ["remove_ads", "pro"])
      #expect(customer.entitlements.map(\.isActive) == [true, true])
      #expect(customer.subscriptions.count == 1)
      let expected = [subscriber.purchase.id, first.id].map { PayloadValue.text($0.description) }
      #expect(ids(of: customer.orders) == expected)
      let newest = try await shopper.customerEvents().last?.sequence
      #expect(customer.sequence == newest)
    }
  }

  @Test("MER-7: the signed list is verified with the published keys and has the same entitlements")
  func signed() async throws {
    try await TestStore().shop { shopper in
      try await shopper.buy("remove_ads")
      let customer = try await customer(shopper)
      let jwks = try await shopper.get("/.well-known/jwks.json").body
      let keys = try JSONWebKeySet(jwks: Data(String(buffer: jwks).utf8))
      let payload = try keys.payload(of: customer.signed, type: EntitlementList.type)
      let list = try TransactionHistory.decoder.decode(EntitlementList.self, from: payload)
      #expect(list.subject == customer.subject && list.bundleID == TestShop.app.id)
      #expect(list.entitlements == customer.entitlements.map(\.entitlement))
    }
  }

  @Test("MER-7: of more than 20 orders the newest 20 are in the answer")
  func orderLimit() async throws {
    try await TestStore().shop { shopper in
      let first = try await shopper.buy("coins")
      for _ in 0..<20 {
        shopper.store.clock.advance(by: .seconds(1))
        try await shopper.buy("coins")
      }
      let orders = try await customer(shopper).orders
      #expect(orders.count == 20 && !ids(of: orders).contains(.text(first.id.description)))
    }
  }

  @Test("MER-7: an app's token finds each account that has bought with it, also with an earlier token")
  func tokens() async throws {
    try await TestStore().shop { shopper in
      let other = try await shopper.beside()
      try await shopper.buy("remove_ads", token: "user 1/&")
      try await other.buy("remove_ads", token: "user 1/&")
      try await other.buy("coins", token: "user-2")
      func subjects(_ token: String) async throws -> Set<String> {
        let uri = Route.merchantCustomers.path.appendingQuery([("app_account_token", token)])
        let answer = try await get(uri, by: shopper)
        #expect(answer.status == .ok)
        return Set(try answer.message(MerchantCustomersMessage.self).customers.map(\.subject))
      }
      let both = try await subjects("user 1/&")
      #expect(both == [shopper.subject(), other.subject()])
      let one = try await subjects("user-2")
      #expect(one == [other.subject()])
      let none = try await subjects("user-3")
      #expect(none.isEmpty)
    }
  }

  @Test("MER-7: a request without a token is rejected with 400")
  func missingToken() async throws {
    try await TestStore().shop { shopper in
      let answer = try await get(Route.merchantCustomers.path, by: shopper)
      let problem = try answer.problem()
      #expect(answer.status == .badRequest && problem.code == .invalidRequest)
    }
  }

  @Test("MER-7: an unknown subject, one of another app and one of a removed account are answered with 404")
  func notFound() async throws {
    let store = try await TestStore()
    let other = App(id: "io.example.tideline", name: "Tideline", redirectURIs: [])
    try await store.core.apps.register(other)
    try await store.shop { shopper in
      try await shopper.buy("remove_ads", token: "user-1")
      let path = Route.merchantCustomer.path(shopper.subject())
      let unknown = try await get(Route.merchantCustomer.path("unknown"), by: shopper)
      let foreign = try await get(path, of: other.id, by: shopper)
      #expect(unknown.status == .notFound && foreign.status == .notFound)
      let token = Route.merchantCustomers.path.appendingQuery([("app_account_token", "user-1")])
      let ofOther = try await get(token, of: other.id, by: shopper).message(MerchantCustomersMessage.self)
      #expect(ofOther.customers.isEmpty)
      _ = try await store.removeAccount(shopper.accountID)
      let removed = try await get(path, by: shopper)
      #expect(removed.status == .notFound)
    }
  }
}
