import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// Grants that the operator makes by command.
@Suite("Grants of the operator", .timeLimit(.minutes(5)))
struct OperatorGrantTests {
  @Test("SUB-20: the operator grants a consumable in its quantity: signed, delivered, without a sale and a number")
  func consumable() async throws {
    try await TestStore().shop { shopper in
      let cursor = try await shopper.sync().cursor
      let id = try await shopper.grant("coins", quantity: 3)
      let granted = try #require(try await shopper.sync(cursor).orders.first)
      #expect(granted.id.uuid == id && granted.reason == .grant && granted.quantity == 3 && granted.reinstates == nil)
      #expect(granted.price.amount == 0 && granted.state == .paid && !granted.finished)
      let receipt = try TransactionHistory.decoded(fromPayloadOf: try #require(granted.receipt)).transactions
      #expect(receipt.map(\.transactionReason) == [.grant])
      var device = shopper
      device.device = UUID()
      let claimed = try await device.claim(granted.id)
      #expect(claimed.delivery?.holder == .here)
      let rows = try await shopper.store.core.dependencies.database.read {
        (try $0.rows("SELECT order_id FROM ledger").count, try $0.rows("SELECT order_id FROM receipt_numbers").count)
      }
      #expect(rows == (0, 0))
      let faults = try await shopper.store.bookFaults()
      #expect(faults == [])
    }
  }

  @Test("SUB-20: a granted plan runs for one period from now on and does not renew; with the renewal on, it does")
  func subscription() async throws {
    for renews in [false, true] {
      try await PlanShop.open { shopper in
        let id = try await shopper.grant("basic")
        let subscriber = Subscriber(shopper: shopper, purchase: try await shopper.order(OrderID(id)))
        #expect(subscriber.purchase.expiresAt == "02-10".midnight)
        if renews {
          #expect(try await subscriber.setMethod(try await shopper.store.save(.succeeds, of: shopper.accountID)))
          #expect(try await subscriber.setAutoRenew(true))
        }
        try await subscriber.pass(days: 40)
        let renewals = try await subscriber.renewals()
        #expect(renewals.map(\.price.minorUnits) == (renews ? [999] : []))
        #expect(renewals.allSatisfy { $0.originalOrderID == id })
        let restorable = try await shopper.restorable()
        #expect(restorable.map(\.reason) == (renews ? [.renewal] : []))
        let faults = try await subscriber.faults()
        #expect(faults == [])
      }
    }
  }

  @Test("SUB-20: a grant ends at the operator's end, and a refund of it takes it back")
  func takenBack() async throws {
    try await PlanShop.open { shopper in
      let id = try await shopper.grant("pro", until: "01-17".midnight)
      let order = try await shopper.order(OrderID(id))
      #expect(order.expiresAt == "01-17".midnight)
      _ = try await shopper.store.core.refunds.refund(id, because: .support)
      let restorable = try await shopper.restorable()
      #expect(restorable.isEmpty)
      let stage = try await Subscriber(shopper: shopper, purchase: order).machine().stage
      let start = shopper.store.clock.now()
      #expect(stage == .revoked(Revocation(date: start, reason: .support)))
      let faults = try await shopper.store.bookFaults()
      #expect(faults == [])
    }
  }

  @Test("SUB-20: a refunded purchase is granted again by the operator, once; a refund of the grant takes it back")
  func reinstated() async throws {
    try await TestStore().shop { shopper in
      let (subscriber, core) = (try await shopper.subscribe(), shopper.store.core)
      let purchase = subscriber.purchase
      await #expect(throws: GrantError.notRevoked) { _ = try await core.grants.reinstate(purchase.id.uuid) }
      _ = try await core.refunds.refund(purchase.id.uuid, because: .refund)
      try await core.deliverOutbox()
      let id = try await core.grants.reinstate(purchase.id.uuid)
      let granted = try await shopper.order(OrderID(id))
      #expect(granted.reinstates == purchase.id && granted.originalOrderID == purchase.id)
      #expect(granted.expiresAt == purchase.expiresAt)
      await #expect(throws: GrantError.notRevoked) { _ = try await core.grants.reinstate(purchase.id.uuid) }
      await #expect(throws: GrantError.notRevoked) { _ = try await core.grants.reinstate(id) }
      _ = try await core.refunds.refund(id, because: .support)
      let isEntitled = try await shopper.grants(of: purchase.id).map(\.state.isEntitled)
      #expect(isEntitled == [false])
      let again = try await core.grants.reinstate(purchase.id.uuid)
      let second = try await shopper.order(OrderID(again))
      #expect(second.revokedAt == nil)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-20: a plan that the operator has granted again is stopped at once")
  func stopped() async throws {
    try await TestStore().shop { shopper in
      let (subscriber, core) = (try await shopper.subscribe(), shopper.store.core)
      _ = try await core.refunds.refund(subscriber.purchase.id.uuid, because: .refund)
      _ = try await core.grants.reinstate(subscriber.purchase.id.uuid)
      let outcome = try await core.subscriptions.stopAtOnce(subscriber.key, because: .support)
      #expect(outcome == .over)
      let restorable = try await shopper.restorable()
      #expect(restorable.isEmpty)
    }
  }

  @Test("SUB-20: what an account owns, a plan beside another one, and what is not sold is not granted")
  func rejected() async throws {
    try await PlanShop.open { shopper in
      _ = try await shopper.subscribe(to: "small")
      let owned = GrantError.owned
      await #expect(throws: owned) { _ = try await shopper.grant("small") }
      await #expect(throws: owned) { _ = try await shopper.grant("pro") }
      await #expect(throws: GrantError.notSold(in: .netherlands)) { _ = try await shopper.grant("nothing") }
      await #expect(throws: GrantError.quantity) { _ = try await shopper.grant("pro", quantity: 2) }
      await #expect(throws: GrantError.ended) { _ = try await shopper.grant("pro", until: "01-10".midnight) }
      let removed = try await shopper.store.removeAccount(shopper.accountID)
      #expect(removed)
      await #expect(throws: GrantError.unknownAccount) { _ = try await shopper.grant("pro") }
      let granted = try await shopper.store.core.dependencies.database.read {
        try $0.rows("SELECT id FROM orders WHERE reason = 'GRANT'").count
      }
      #expect(granted == 0)
    }
    try await TestStore().shop { shopper in
      await #expect(throws: GrantError.endless) {
        _ = try await shopper.grant("remove_ads", until: shopper.store.clock.now() + 86_400)
      }
    }
  }
}

extension Shopper {
  fileprivate func grant(_ product: String, quantity: Int = 1, until end: Date? = nil) async throws -> UUID {
    try await store.core.grants.grant(
      GrantService.Gift(
        account: accountID, app: TestShop.app.id, product: product, quantity: quantity, end: end.map { .until($0) }))
  }
}
