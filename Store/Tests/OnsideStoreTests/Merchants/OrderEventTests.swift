import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

@Suite("Events of orders", .timeLimit(.minutes(5)))
struct OrderEventTests {
  @Test("MER-4: a payment is order.paid with the order after it; before it and for the finish there is no event")
  func paid() async throws {
    try await TestStore().shop { shopper in
      let store = shopper.store
      let order = try await shopper.order("coins", token: "u1", quantity: 2)
      _ = try await shopper.pay(order, with: .declined)
      let none = try await store.events(of: order.id)
      #expect(none == [])
      _ = try await shopper.pay(order, with: .succeeds)
      _ = try await shopper.finish(order.id)
      let events = try await store.events(of: order.id)
      #expect(events.map(\.text) == ["order.paid"] && events.map(\.sequence) == [1])
      let event = try #require(events.first)
      let customer = Customer(account: shopper.accountID, app: TestShop.app.id)
      #expect(event.account == shopper.accountID && event.subject == customer.subject && event.token == "u1")
      let paidAt = try #require(try await shopper.order(order.id).paidAt)
      #expect(abs(event.occurredAt.timeIntervalSince(paidAt)) < 1 && event.createdAt == event.occurredAt)
      let fields = try event.fields()
      #expect(fields["order_id"] == .text(order.id.description) && fields["app_account_token"] == .text("u1"))
      #expect(fields["price"] == .integer(198) && fields["quantity"] == .integer(2))
      #expect(fields["state"] == .text("paid") && fields["refunded"] == .integer(0))
      #expect(fields["refunds"] == .list([]) && fields["disputes"] == .list([]))
    }
  }

  @Test("MER-4: a cancelled order and a duplicate have no events")
  func unpaid() async throws {
    try await TestStore().shop { shopper in
      let cancelled = try await shopper.order("coins")
      try await shopper.post("/v1/orders/\(cancelled.id)/cancel")
      try await shopper.buy("remove_ads")
      let duplicate = try await shopper.order("remove_ads")
      #expect(duplicate.duplicateOf != nil)
      for id in [cancelled.id, duplicate.id] {
        let events = try await shopper.store.events(of: id)
        #expect(events == [])
      }
    }
  }

  @Test("MER-4: each refund is order.refunded, the last one with order.revoked; the provider's success is no event")
  func refunded() async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.buy("season"), shopper.store)
      try await store.core.refunds.refund(order.id.uuid, amount: try TestShop.money(199), because: .support)
      try await store.core.deliverOutbox()
      _ = try await store.core.refunds.refund(order.id.uuid, because: .support)
      try await store.core.deliverOutbox()
      let events = try await store.events(of: order.id)
      #expect(
        events.map(\.text)
          == ["order.paid", "order.refunded (operator)", "order.refunded (operator)", "order.revoked (SUPPORT)"])
      #expect(events.map(\.sequence) == [1, 2, 3, 4])
      let refunded = try events.map { try $0.fields()["refunded"] }
      #expect(refunded == [.integer(0), .integer(199), .integer(1999), .integer(1999)])
      let revocation = try events.map { try $0.fields()["revocation_reason"] }
      #expect(revocation == [.null, .null, .text("SUPPORT"), .text("SUPPORT")])
    }
  }

  @Test("MER-4: a failed refund is order.refund_failed, and its grant's first event order.reinstated")
  func failed() async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.buy("season"), shopper.store)
      let payment = try #require(try await store.payments(of: order.id).first)
      let refund = try #require(try await store.core.refunds.refund(order.id.uuid, because: .refund))
      try await store.core.deliverOutbox()
      let answer = try await store.event(
        "refund_failed", payment: payment, order: order.id, id: "f", further: #","refund_id":"\#(refund.id)""#,
        with: shopper.client)
      #expect(answer == .noContent)
      let events = try await store.events(of: order.id)
      #expect(
        events.map(\.text)
          == [
            "order.paid", "order.refunded (operator)", "order.revoked (REFUND)", "order.refund_failed (operator)",
          ])
      let grant = try #require(try await shopper.grants(of: order.id).first)
      let granted = try await store.events(of: OrderID(grant.id))
      #expect(granted.map(\.text) == ["order.reinstated (refund)"])
      let reinstates = try granted.first?.fields()["reinstates"]
      #expect(reinstates == .text(order.id.description))
    }
  }

  @Test("MER-4: a dispute is opened and closed", arguments: [SandboxCard.disputeLost, .disputeWon])
  func disputed(card: SandboxCard) async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.order("remove_ads"), shopper.store)
      _ = try await shopper.pay(order, with: card)
      for seconds in [10, 20] {
        store.advance(by: .seconds(seconds))
        try await store.core.deliverOutbox()
      }
      let events = try await store.events(of: order.id)
      let types = events.map(\.type)
      #expect(types.filter { $0.hasPrefix("dispute.") } == ["dispute.opened", "dispute.closed"])
      let outcome = card == .disputeLost ? "lost" : "won"
      #expect(events.first { $0.type == "dispute.closed" }?.cause == outcome)
      #expect(types.contains("order.revoked") == (card == .disputeLost))
      #expect(!types.contains("order.refund_failed"))
      #expect(events.first { $0.type == "order.refunded" }?.cause == "bank")
      #expect(events.map(\.sequence) == (1...Int64(events.count)).map { $0 })
    }
  }

  @Test("MER-4: a grant of the operator is order.paid with the cause operator")
  func granted() async throws {
    try await TestStore().shop { shopper in
      let id = try await shopper.store.core.grants.grant(
        GrantService.Gift(account: shopper.accountID, app: TestShop.app.id, product: "coins", quantity: 1))
      let events = try await shopper.store.events(of: OrderID(id))
      #expect(events.map(\.text) == ["order.paid (operator)"])
    }
  }

  @Test("An order that was paid before the event log has no order.paid, and events from its next change on")
  func older() async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.buy("season"), shopper.store)
      try await store.core.dependencies.database.write { try $0.execute("DELETE FROM merchant_events") }
      store.advance(by: .seconds(60))
      _ = try await store.core.refunds.refund(order.id.uuid, because: .support)
      let events = try await store.events(of: order.id)
      #expect(events.map(\.text) == ["order.refunded (operator)", "order.revoked (SUPPORT)"])
      #expect(events.map(\.sequence) == [1, 2])
    }
  }

  @Test("An order whose newest event is unreadable has the events of its next change, with the next sequences")
  func unreadable() async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.buy("season"), shopper.store)
      try await store.core.dependencies.database.write {
        try $0.execute("UPDATE merchant_events SET data = '{}' WHERE kind = 'order'")
      }
      _ = try await store.core.refunds.refund(order.id.uuid, because: .support)
      let events = try await store.events(of: order.id)
      #expect(events.map(\.text) == ["order.paid", "order.refunded (operator)", "order.revoked (SUPPORT)"])
      #expect(events.map(\.sequence) == [1, 2, 3])
    }
  }

  @Test("MER-4: events of a removed account, also later ones, keep the subject and lose the app's token")
  func removed() async throws {
    try await TestStore().shop { shopper in
      let (order, store) = (try await shopper.buy("season", token: "token of the user"), shopper.store)
      let isRemoved = try await store.removeAccount(shopper.accountID)
      #expect(isRemoved)
      _ = try await store.core.refunds.refund(order.id.uuid, because: .support)
      let events = try await store.events(of: order.id)
      #expect(events.map(\.type) == ["order.paid", "order.refunded", "order.revoked"])
      let subject = Customer(account: shopper.accountID, app: TestShop.app.id).subject
      #expect(events.allSatisfy { $0.subject == subject && $0.token == nil && $0.account != shopper.accountID })
      let subjects = try events.map { try $0.fields()["subject"] }
      #expect(subjects.allSatisfy { $0 == .text(subject) })
      let places = try await store.places(of: ["token of the user"])
      #expect(places == [])
    }
  }

  @Test("The object of an order is readable without an event, and nil for an unpaid order")
  func object() async throws {
    try await TestStore().shop { shopper in
      let (paid, open) = (try await shopper.buy("season"), try await shopper.order("coins"))
      let (database, now) = (shopper.store.core.dependencies.database, shopper.store.clock.now())
      let objects = try await database.read(at: now) { transaction in
        try [paid.id, open.id].map { try OrderEvents.object(of: $0.uuid, in: transaction)?.json }
      }
      let data = try await shopper.store.events(of: paid.id).last?.data
      #expect(data != nil && objects == [data, nil])
    }
  }
}
