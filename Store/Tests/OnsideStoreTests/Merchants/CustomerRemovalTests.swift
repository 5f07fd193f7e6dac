import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

@Suite("Events of removed customers", .timeLimit(.minutes(5)))
struct CustomerRemovalTests {
  /// The subjects and tokens of all events of orders, the oldest first.
  private func orderEvents(_ store: TestStore) async throws -> [(type: String, subject: String, token: String?)] {
    try await store.core.dependencies.database.read { connection in
      try connection.rows("SELECT * FROM merchant_events WHERE kind = 'order' ORDER BY position").map {
        (try $0.text("type"), try $0.text("subject"), try $0.optionalText("app_account_token"))
      }
    }
  }

  @Test("MER-5: the last event of a removed account is customer.removed, and no event has the app's token")
  func removal() async throws {
    try await TestStore().shop { shopper in
      try await shopper.buy("remove_ads", token: "user-1")
      _ = try await shopper.subscribe()
      let isRemoved = try await shopper.store.removeAccount(shopper.accountID)
      #expect(isRemoved)
      let events = try await shopper.customerEvents()
      #expect(events.last?.type == .customerRemoved)
      #expect(events.dropLast().allSatisfy { $0.type == .entitlementChanged })
      #expect(events.allSatisfy { $0.appAccountToken == nil && !$0.data.contains("user-1") })
      let state = try #require(events.last).state()
      #expect(state.entitlements.isEmpty && state.subscriptions.isEmpty && state.subject == shopper.subject())
    }
  }

  @Test("MER-4: an order whose account was removed before the upgrade to events has no events and no subject")
  func removalBeforeEvents() async throws {
    try await TestStore().shop { shopper in
      let (store, id) = (shopper.store, try await shopper.buy("remove_ads").id.uuid)
      _ = try await store.removeAccount(shopper.accountID)
      let database = store.core.dependencies.database
      for table in ["merchant_events", "merchant_customers"] {
        try await database.write { try $0.execute("DELETE FROM \(table)") }
      }
      try await store.core.orders.refund(id, because: .refund)
      let events = try await orderEvents(store)
      #expect(events.isEmpty)
      let read = try await database.read(at: store.clock.now()) { try OrderEvents.object(of: id, in: $0) }
      let order = try #require(read)
      #expect(order.purchase.subject == nil && order.standing.refunds.count == 1)
    }
  }

  @Test("MER-5: a later refund has the subject of the removed account, and changes no entitlements")
  func laterRefund() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.buy("remove_ads", token: "user-1")
      let old = try await shopper.buy("coins")
      // An order from before the first version with events.
      try await shopper.store.core.dependencies.database.write { [id = old.id.description] in
        try $0.execute("DELETE FROM merchant_events WHERE kind = 'order' AND object_id = $1", [.text(id)])
      }
      _ = try await shopper.store.removeAccount(shopper.accountID)
      let count = try await shopper.customerEvents().count
      for id in [order.id.uuid, old.id.uuid] {
        try await shopper.store.core.orders.refund(id, because: .refund)
      }
      let events = try await orderEvents(shopper.store)
      #expect(events.count { $0.type == "order.refunded" } == 2)
      #expect(events.allSatisfy { $0.subject == shopper.subject() && $0.token == nil })
      let after = try await shopper.customerEvents()
      #expect(after.count == count && after.last?.type == .customerRemoved)
    }
  }
}
