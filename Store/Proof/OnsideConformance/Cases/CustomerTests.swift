import ConformanceTable
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import OnsideStore
import OnsideVerify
import StoreBase
import StoreMerchants
import StoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Customers of merchants, after purchases by devices.
@MainActor
@Suite(
  "Customers of merchants", .serialized, .columns(.store, because: "a local store has no merchant's server"),
  .timeLimit(.minutes(5)))
struct CustomerTests {
  /// The events of all customers, the oldest first: the type, and the products of the active entitlements.
  private func events(_ system: TestedSystem) async throws -> [String] {
    try await system.core.dependencies.database.read { connection in
      try connection.rows("SELECT type, data FROM merchant_events WHERE kind = 'customer' ORDER BY position").map {
        let data = Data(try $0.text("data").utf8)
        let state = try WireCoding.decoder().decode(MerchantCustomerState.self, from: data)
        let active = state.entitlements.filter(\.isActive).map(\.entitlement.productID)
        return ([try $0.text("type")] + active).joined(separator: " ")
      }
    }
  }

  @Test("MER-5: each change of the entitlements is an event with the whole state; a consumable and a finish are none")
  func changes() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let bought = try await device.buy(ExampleProducts.adFree)
      let coins = try await device.buy(ExampleProducts.coins)
      for order in [bought, coins] { try await device.finish(order) }
      let first = "entitlement.changed \(ExampleProducts.adFree)"
      let paid = try await events(system)
      #expect(paid == [first])
      try await system.refund(bought)
      let refunded = try await events(system)
      #expect(refunded == [first, "entitlement.changed"])
    }
  }

  @Test("MER-7: a server finds the customer by the app's token and by the subject, and verifies the signed list")
  func state() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let bought = try await device.buy(ExampleProducts.adFree, token: "alice")
      _ = try await device.buy(ExampleProducts.coins)
      let key = try await system.operate {
        try await $0.apiKeys.add(app: TestedSystem.app, name: "backend", scopes: [.read])
      }
      let byToken = try await system.answer(
        MerchantCustomersMessage.self, to: "\(Route.merchantCustomers.path)?app_account_token=alice", key: key)
      let customer = try #require(byToken.customers.first)
      #expect(byToken.customers.count == 1 && customer.appAccountToken == "alice")
      #expect(customer.entitlements.map(\.entitlement.orderID) == [bought.id] && customer.orders.count == 2)
      let bySubject = try await system.answer(
        MerchantCustomerMessage.self, to: Route.merchantCustomer.path(customer.subject), key: key)
      #expect(bySubject.subject == customer.subject && bySubject.entitlements == customer.entitlements)
      let keys = try RemoteKeySet(storeURL: system.network.address)
      let server = OnsideVerifier(bundleID: TestedSystem.app, environment: .sandbox, keys: keys)
      let list = try await server.verifyEntitlementList(customer.signed, appAccountToken: "alice")
      #expect(list.entitlements == customer.entitlements.map(\.entitlement))
    }
  }
}

extension TestedSystem {
  /// Asks as a merchant's server does, and returns the message of the answer.
  fileprivate func answer<Message: Decodable>(
    _ type: Message.Type, to path: String, key: APIKeyToken
  ) async throws -> Message {
    let url = try #require(URL(string: path, relativeTo: network.address))
    var request = URLRequest(url: url)
    request.setValue("Bearer \(key.text)", forHTTPHeaderField: "Authorization")
    let (data, response) = try await URLSession.shared.answer(to: request)
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    return try WireCoding.decoder().decode(type, from: data)
  }
}
