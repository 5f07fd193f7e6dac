import ConformanceTable
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import OnsideStore
import StoreAccounts
import StoreMerchants
import StoreSales
import StoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Merchants' servers, which call the store with API keys.
@MainActor
@Suite(
  "Merchants", .serialized, .columns(.store, because: "a local store has no merchant's server"),
  .timeLimit(.minutes(5)))
struct MerchantTests {
  @Test(
    "MER-8: a key reads its app's order, with both secrets after a rotation; else the answer is 401, 403 or 404")
  func keys() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let order = try await device.buy(ExampleProducts.coins).id
      let key = try await system.operate {
        try await $0.apiKeys.add(app: TestedSystem.app, name: "backend", scopes: [.read])
      }
      let support = try await system.operate {
        try await $0.apiKeys.add(app: TestedSystem.app, name: "support", scopes: [.support])
      }
      let status = try await system.status(of: order, key: key)
      #expect(status == 200)
      let statuses = [
        try await system.status(of: order, key: nil), try await system.status(of: order, key: support),
        try await system.status(of: UUID(), key: key),
      ]
      #expect(statuses == [401, 403, 404])
      let next = try #require(try await system.operate { try await $0.apiKeys.rotate(key.id) })
      let rotated = [
        try await system.status(of: order, key: key), try await system.status(of: order, key: next),
      ]
      #expect(rotated == [200, 200])
      let isRemoved = try await system.operate { try await $0.apiKeys.remove(key.id) }
      #expect(isRemoved)
      let removed = [
        try await system.status(of: order, key: key), try await system.status(of: order, key: next),
      ]
      #expect(removed == [401, 401])
    }
  }

  @Test("MER-10: a server refunds an order and grants it again, each once for its idempotency key")
  func acts() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let order = try await device.buy(ExampleProducts.adFree).id
      let key = try await system.operate {
        try await $0.apiKeys.add(app: TestedSystem.app, name: "support", scopes: [.support])
      }
      let id = order.uuidString.lowercased()
      let refund = Route.merchantRefund.path(id)
      let first = try await system.act(refund, "{}", name: "refund", key: key)
      let second = try await system.act(refund, "{}", name: "refund", key: key)
      #expect(first.status == 201 && second.status == 201 && first.body == second.body)
      let other = try await system.act(refund, #"{"amount":1}"#, name: "refund", key: key)
      #expect(other.status == 422)
      let refunds = try await system.core.refunds.refunds(of: order)
      #expect(refunds.count == 1)
      let account = try await system.account(of: device.user).id.description
      let subject = Customer(account: account, app: TestedSystem.app).subject
      let body = #"{"product_id":"\#(ExampleProducts.adFree)","reinstates":"\#(id)"}"#
      let grant = Route.merchantGrant.path(subject)
      let granted = try await system.act(grant, body, name: "grant", key: key)
      let again = try await system.act(grant, body, name: "grant", key: key)
      #expect(granted.status == 201 && again.status == 201 && granted.body == again.body)
    }
  }
}

extension TestedSystem {
  /// Requests an act as a merchant's server does, and returns the status and the body of the answer.
  fileprivate func act(
    _ path: String, _ body: String, name: String, key: APIKeyToken
  ) async throws -> (status: Int, body: Data) {
    var request = URLRequest(url: network.address.appending(path: path))
    request.httpMethod = "POST"
    request.setValue("Bearer \(key.text)", forHTTPHeaderField: "Authorization")
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue(name, forHTTPHeaderField: "Idempotency-Key")
    request.httpBody = Data(body.utf8)
    let (data, response) = try await URLSession.shared.answer(to: request)
    return ((response as? HTTPURLResponse)?.statusCode ?? 0, data)
  }

  /// Asks for an order as a merchant's server does, and returns the status of the answer.
  fileprivate func status(of order: UUID, key: APIKeyToken?) async throws -> Int {
    let path = Route.merchantOrder.path(order.uuidString.lowercased())
    var request = URLRequest(url: network.address.appending(path: path))
    if let key { request.setValue("Bearer \(key.text)", forHTTPHeaderField: "Authorization") }
    let (_, response) = try await URLSession.shared.answer(to: request)
    return (response as? HTTPURLResponse)?.statusCode ?? 0
  }
}
