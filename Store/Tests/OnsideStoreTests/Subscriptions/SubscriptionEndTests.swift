import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

@Suite("Ends of subscriptions", .timeLimit(.minutes(5)))
struct SubscriptionEndTests {
  @Test("SUB-3: a renewal that is switched off is not charged, and what is paid stays to its end")
  func switchedOff() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      #expect(try await subscriber.setAutoRenew(false))
      #expect(try await !subscriber.setAutoRenew(false))
      let end = try #require(subscriber.purchase.expiresAt)
      try await subscriber.pass(to: end - 1)
      let restorableCount = try await shopper.restorable().count
      #expect(restorableCount == 1)
      try await subscriber.pass(days: 100)
      let renewals = try await subscriber.renewals()
      #expect(renewals.isEmpty)
      let stage = try await subscriber.machine().stage
      #expect(stage == .expired(.cancelled))
      #expect(try await !subscriber.setAutoRenew(true), "it has to be bought again")
    }
  }

  @Test("SUB-3: a renewal that is switched on again in time is charged in its time")
  func switchedOnAgain() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      #expect(try await subscriber.setAutoRenew(false))
      #expect(try await subscriber.setAutoRenew(true))
      try await subscriber.pass(days: 32)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.paid])
    }
  }

  @Test("SUB-3: who ends what is not paid owes nothing: the order is cancelled, and nothing is tried again")
  func endedUnpaid() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      try await shopper.replaceCards(by: .declined)
      try await subscriber.pass(days: 33)
      #expect(try await subscriber.setAutoRenew(false))
      let stage = try await subscriber.machine().stage
      #expect(stage == .expired(.cancelled))
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.cancelled])
    }
  }

  @Test("SUB-4: a refund of the last period ends the subscription, one of an earlier period gives money only")
  func refunded() async throws {
    try await TestStore().shop { shopper in
      let (subscriber, core) = (try await shopper.subscribe(), shopper.store.core)
      try await subscriber.pass(days: 40)
      try await core.orders.refund(subscriber.purchase.id.uuid, because: .refund)
      try await core.deliverOutbox()
      let stage = try await subscriber.machine().stage
      #expect(stage == .active)
      let renewal = try #require(try await subscriber.renewals().last)
      try await core.orders.refund(renewal.id, because: .refund)
      try await core.deliverOutbox()
      guard case .revoked = try await subscriber.machine().stage else {
        Issue.record("Expected a revoked subscription.")
        return
      }
      try await subscriber.pass(days: 100)
      let renewalCount = try await subscriber.renewals().count
      #expect(renewalCount == 1)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-4: a removed account is charged no more, and money that is on its way goes back")
  func removedAccount() async throws {
    try await TestStore().shop { shopper in
      let (subscriber, store) = (try await shopper.subscribe(), shopper.store)
      try await shopper.replaceCards(by: .settlesLater)
      try await subscriber.pass(to: try #require(subscriber.purchase.expiresAt) - 3600)
      let renewal = try #require(try await subscriber.renewals().first)
      let account = try #require(AccountID(shopper.accountID))
      try await store.core.accounts.remove(account)
      try await store.settle()
      #expect(try await store.hasGivenBack(OrderID(renewal.id)))
      store.advance(by: .seconds(100 * 86_400))
      let passTime = try await store.core.subscriptions.passTime()
      #expect(passTime == 0)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-4: one subscription that cannot be read does not stop the others")
  func unreadable() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      let other = Shopper(
        store: shopper.store, client: shopper.client, accountID: try await shopper.store.account(), country: "NL")
      let broken = try await other.subscribe()
      try await shopper.store.core.dependencies.database.write {
        try $0.execute(
          "UPDATE subscriptions SET machine = '{}' WHERE account_id = $1", [.text(broken.key.account)])
      }
      try await subscriber.pass(days: 32)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.paid])
    }
  }
}
