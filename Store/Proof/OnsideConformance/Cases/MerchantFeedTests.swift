import ConformanceTable
import Foundation
import OnsideAPI
import OnsideKit
import OnsideStore
import StoreMerchants
import StoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Merchants' servers, which read the feed of events.
@MainActor
@Suite(
  "Merchants' feed", .serialized, .columns(.store, because: "a local store has no merchant's server"),
  .timeLimit(.minutes(5)))
struct MerchantFeedTests {
  @Test("MER-6: a waiting server gets a sale, and continues behind it after the store's restart")
  func restart() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let key = try await system.operate {
        try await $0.apiKeys.add(app: TestedSystem.app, name: "backend", scopes: [.read]).text
      }
      async let waiting = system.sales(after: nil, key: key)
      let first = try await device.buy(ExampleProducts.coins)
      let page = try await waiting
      #expect(page.events.map(\.data.objectID) == [first.id.uuidString.lowercased()])
      #expect(page.events.map(\.data.sequence) == [1])
      await system.closeStore()
      try await system.openStore()
      let second = try await device.buy(ExampleProducts.coins)
      let next = try await system.sales(after: page.cursor, key: key)
      #expect(next.events.map(\.data.objectID) == [second.id.uuidString.lowercased()])
      #expect(!next.startsOver)
    }
  }
}

extension TestedSystem {
  /// The next page of paid orders in the feed of the app, read as a merchant's server does.
  fileprivate func sales(after cursor: String?, key: String) async throws -> MerchantFeedMessage {
    let query = "?types=order.paid&wait=30" + (cursor.map { "&after=\($0)" } ?? "")
    let address = try #require(URL(string: Route.merchantEvents.path + query, relativeTo: network.address))
    var request = URLRequest(url: address)
    request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
    let (data, response) = try await URLSession.shared.answer(to: request)
    try #require((response as? HTTPURLResponse)?.statusCode == 200)
    return try WireCoding.decoder().decode(MerchantFeedMessage.self, from: data)
  }
}
