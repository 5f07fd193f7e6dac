import ConformanceTable
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import OnsideStore
import StoreMerchants
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
  @Test("MER-8: a server reads an order with a key of the app; scope, rotation and removal of keys count")
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
}

extension TestedSystem {
  /// Asks for an order as a merchant's server does, and returns the status of the answer.
  fileprivate func status(of order: UUID, key: APIKeyToken?) async throws -> Int {
    let path = Route.merchantOrder.path(order.uuidString.lowercased())
    var request = URLRequest(url: network.address.appending(path: path))
    if let key { request.setValue("Bearer \(key.text)", forHTTPHeaderField: "Authorization") }
    let (_, response) = try await URLSession.shared.answer(to: request)
    return (response as? HTTPURLResponse)?.statusCode ?? 0
  }
}
