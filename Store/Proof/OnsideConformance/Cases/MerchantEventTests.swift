import ConformanceTable
import Foundation
import OnsideKit
import OnsideStore
import StoreBase
import StoreSales
import Testing

/// Events for merchants' backends, after purchases by devices.
@MainActor
@Suite(
  "Events for merchants", .serialized, .columns(.store, because: "a local store has no merchant's backend"),
  .timeLimit(.minutes(5)))
struct MerchantEventTests {
  /// The type and sequence of each event of an order, the oldest first.
  private func events(of order: UUID, in system: TestedSystem) async throws -> [String] {
    try await system.core.dependencies.database.read { connection in
      try connection.rows(
        "SELECT type, sequence FROM merchant_events WHERE kind = 'order' AND object_id = $1 ORDER BY sequence",
        [.text(order.lowercase)]
      ).map { "\(try $0.text("type")) \(try $0.integer("sequence"))" }
    }
  }

  @Test("MER-4: a payment and its refund are consecutive events of the order; a finish is none")
  func refunded() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let bought = try await device.buy(ExampleProducts.coins)
      try await device.finish(bought)
      let paid = try await events(of: bought.id, in: system)
      #expect(paid == ["order.paid 1"])
      try await system.refund(bought)
      let refunded = try await events(of: bought.id, in: system)
      #expect(refunded == ["order.paid 1", "order.refunded 2", "order.revoked 3"])
    }
  }

  @Test("MER-4: an order whose payment the user gives up has no event")
  func cancelled() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      device.user.next(.payment) { visit in try await visit.cancel(on: try await visit.open()) }
      try await device.add(ExampleProducts.season)
      let failed = try await device.app.first(.failed)
      let found = try await events(of: failed.id, in: system)
      #expect(found == [])
    }
  }
}
