import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

@Suite("Catch-up of customers", .timeLimit(.minutes(5)))
struct CustomerCatchUpTests {
  private func catchUp(_ store: TestStore, batch: Int = 100) async throws {
    try await CustomerCatchUp(store.core.dependencies.base, batch: batch).run()
  }

  /// Removes all events, as before the first version with events.
  private func forget(_ store: TestStore) async throws {
    try await store.core.dependencies.database.write { connection in
      for table in ["merchant_events", "merchant_customers"] { try connection.execute("DELETE FROM \(table)") }
    }
  }

  private func begin(epoch: String, _ store: TestStore) async throws {
    try await store.core.dependencies.database.write {
      try StoreSettings(connection: $0).set("sync_epoch", to: epoch)
    }
  }

  @Test("MER-5: after an upgrade each customer gets one event with its state; those without a purchase get none")
  func upgrade() async throws {
    try await TestStore().shop { shopper in
      var buyers = [shopper]
      for _ in 0..<4 { buyers.append(try await shopper.beside()) }
      for buyer in buyers { try await buyer.buy("remove_ads") }
      let visitor = try await shopper.beside()
      _ = try await visitor.order("remove_ads")
      try await forget(shopper.store)
      for _ in 0..<2 { try await catchUp(shopper.store, batch: 2) }
      for buyer in buyers {
        let events = try await buyer.customerEvents()
        #expect(events.map(\.type) == [.entitlementChanged] && events.map(\.cause) == ["state"])
        let entitlement = try await buyer.newestEntitlement()
        #expect(entitlement?.entitlement.productID == "remove_ads")
      }
      let count = try await visitor.customerEvents().count
      #expect(count == 0)
    }
  }

  @Test("A cancelled pass writes nothing, and the next pass writes all events")
  func cancelled() async throws {
    try await TestStore().shop { shopper in
      try await shopper.buy("remove_ads")
      try await forget(shopper.store)
      let base = shopper.store.core.dependencies.base
      let pass = Task {
        while !Task.isCancelled { await Task.yield() }
        try await CustomerCatchUp(base).run()
      }
      pass.cancel()
      await #expect(throws: (any Error).self) { try await pass.value }
      let none = try await shopper.customerEvents().count
      #expect(none == 0)
      try await catchUp(shopper.store)
      let events = try await shopper.customerEvents()
      #expect(events.map(\.cause) == ["state"])
    }
  }

  @Test("MER-5: in a new epoch each customer gets an event, but not one that has an event of the epoch already")
  func epoch() async throws {
    try await TestStore().shop { shopper in
      let changed = try await shopper.beside()
      for buyer in [shopper, changed] { try await buyer.buy("remove_ads") }
      try await catchUp(shopper.store)
      let unchanged = try await shopper.customerEvents().count
      #expect(unchanged == 1)
      try await begin(epoch: "second", shopper.store)
      let subscriber = try await changed.subscribe()
      for _ in 0..<2 { try await catchUp(shopper.store) }
      let causes = try await shopper.customerEvents().map(\.cause)
      #expect(causes == [nil, "state"])
      let otherCauses = try await changed.customerEvents().map(\.cause)
      #expect(otherCauses.count >= 2 && otherCauses.allSatisfy { $0 == nil })
      let newest = try await changed.customerEvents().last?.state().entitlements.map(\.entitlement.orderID)
      #expect(newest?.contains(subscriber.purchase.id.uuid) == true)
    }
  }
}
