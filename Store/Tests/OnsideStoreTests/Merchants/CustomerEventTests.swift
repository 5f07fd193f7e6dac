import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

@Suite("Events of customers", .timeLimit(.minutes(5)))
struct CustomerEventTests {
  @Test("MER-5: a purchase is an event with the whole state, and its refund another one with the revocation")
  func purchaseAndRefund() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.buy("remove_ads", token: "user-1")
      let bought = try await shopper.customerEvents()
      #expect(bought.map(\.type) == [.entitlementChanged])
      #expect(bought.map(\.cause) == [nil] && bought.map(\.appAccountToken) == ["user-1"])
      let state = try #require(bought.first).state()
      #expect(state.subject == shopper.subject() && state.subscriptions.isEmpty)
      #expect(state.entitlements.map(\.entitlement.orderID) == [order.id.uuid])
      #expect(state.entitlements.map(\.isActive) == [true])
      try await shopper.store.core.orders.refund(order.id.uuid, because: .refund)
      let refunded = try await shopper.customerEvents()
      #expect(refunded.map(\.type) == [.entitlementChanged, .entitlementChanged])
      #expect(refunded.map(\.sequence) == [1, 2])
      let entitlement = try #require(try await shopper.newestEntitlement())
      #expect(!entitlement.isActive && entitlement.entitlement.revocation?.reason == .refund)
    }
  }

  @Test("MER-5: the first consumable is an event without entitlements; its finish and the next consumable are none")
  func consumables() async throws {
    try await TestStore().shop { shopper in
      let coins = try await shopper.buy("coins")
      let first = try await shopper.customerEvents()
      #expect(first.count == 1)
      let entitlements = try #require(first.first).state().entitlements
      #expect(entitlements.isEmpty)
      let status = try await shopper.finish(coins.id)
      #expect(status == .noContent)
      try await shopper.buy("coins")
      let count = try await shopper.customerEvents().count
      #expect(count == 1)
    }
  }

  @Test("MER-5: an event has the entitlements of the signed list")
  func signedList() async throws {
    try await TestStore().shop { shopper in
      try await shopper.buy("remove_ads")
      _ = try await shopper.subscribe()
      let customer = Customer(account: shopper.accountID, app: TestShop.app.id)
      let list = try await shopper.store.core.entitlements(of: customer)
      let event = try #require(try await shopper.customerEvents().last)
      let decoded = try event.state().entitlements.map(\.entitlement)
      let (written, signed) = (
        try WireCoding.encoder().encode(decoded), try WireCoding.encoder().encode(list)
      )
      #expect(list.count == 2 && written == signed)
    }
  }

  @Test("MER-5: purchases in two apps are events of two customers with two subjects")
  func apps() async throws {
    let store = try await TestStore()
    let other = App(id: "io.example.tideline", name: "Tideline", redirectURIs: [])
    try await store.core.apps.register(other)
    try await store.core.catalogue.replace(try TestShop.catalogue(), of: other.id)
    try await store.shop { shopper in
      try await shopper.buy("remove_ads")
      _ = try await store.core.grants.grant(
        GrantService.Gift(account: shopper.accountID, app: other.id, product: "remove_ads"))
      let (here, there) = (
        try await shopper.customerEvents(), try await shopper.customerEvents(in: other.id)
      )
      #expect(here.count == 1 && there.count == 1)
      #expect(shopper.subject() != shopper.subject(in: other.id))
      let subject = try there.first?.state().subject
      #expect(subject == shopper.subject(in: other.id))
    }
  }

  @Test("MER-5: the end of a subscription is an event with the same entitlement, no longer active")
  func expiry() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      let end = try #require(subscriber.purchase.expiresAt)
      let first = try #require(try await shopper.newestEntitlement())
      #expect(first.isActive && first.entitlement.willRenew == true)
      _ = try await subscriber.setAutoRenew(false)
      let stopped = try #require(try await shopper.newestEntitlement())
      #expect(stopped.isActive && stopped.entitlement.willRenew == false)
      try await subscriber.pass(to: end)
      let expired = try #require(try await shopper.newestEntitlement())
      #expect(!expired.isActive && expired.entitlement == stopped.entitlement)
      let newest = try #require(try await shopper.customerEvents().last)
      #expect(newest.occurredAt == end)
    }
  }

  @Test("MER-5: a renewal is an event with the later end")
  func renewal() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      let end = try #require(subscriber.purchase.expiresAt)
      try await subscriber.pass(to: end)
      let renewed = try #require(try await shopper.newestEntitlement())
      #expect(renewed.isActive && renewed.entitlement.expiresAt == Period.oneMonth.adding(to: end))
      let subscriptions = try await shopper.customerEvents().last?.state().subscriptions
      guard case .object(let fields) = subscriptions?.first else {
        Issue.record("expected a subscription, got \(String(describing: subscriptions))")
        return
      }
      #expect(fields["state"] == .text("SUBSCRIBED"))
      #expect(fields["original_order_id"] == .text(subscriber.purchase.id.description))
    }
  }
}
