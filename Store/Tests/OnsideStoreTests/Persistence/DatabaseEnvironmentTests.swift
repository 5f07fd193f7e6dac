import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreBase

@Suite("Environments", .timeLimit(.minutes(5)))
struct DatabaseEnvironmentTests {
  @Test("STO-13: a database belongs to the environment of its first start, and the other is refused")
  func mark() async throws {
    let store = try await TestStore()
    _ = try await TestStore(in: store.folder, clock: store.clock) { $0.environment = .production }
    try await store.live { _ in }
    await #expect(throws: EnvironmentMismatch(expected: "production", found: "sandbox")) {
      _ = try await TestStore(in: store.folder, clock: store.clock) { $0.environment = .production }
    }
    _ = try await TestStore(in: store.folder, clock: store.clock)
  }

  @Test("STO-13: receipts and histories of a sandbox say that no real money was paid")
  func receipts() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.buy("remove_ads")
      let receipt = try TransactionHistory.decoded(fromPayloadOf: try #require(order.receipt))
      #expect(receipt.transactions.map(\.environment) == [.sandbox])
      let history = try TransactionHistory.decoded(fromPayloadOf: try await shopper.history())
      #expect(history.transactions.map(\.environment) == [.sandbox])
    }
  }
}
