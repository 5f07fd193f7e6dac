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

/// Orders of price 0 that replace revoked ones whose money is with the store again.
@Suite("Grants", .timeLimit(.minutes(5)))
struct GrantTests {
  @Test("SUB-20: a failed refund grants a subscription to its end; the grant is signed, delivered and does not renew")
  func subscription() async throws {
    try await TestStore().shop { shopper in
      let (subscriber, store) = (try await shopper.subscribe(), shopper.store)
      let (purchase, cursor) = (subscriber.purchase, try await shopper.sync().cursor)
      try await subscriber.pass(days: 5)
      _ = try await shopper.failedRefund(of: purchase.id)
      let granted = try #require(try await shopper.sync(cursor).orders.first { $0.reason == .grant })
      #expect(granted.reinstates == purchase.id && granted.originalOrderID == purchase.id && !granted.finished)
      #expect(granted.price.amount == 0 && granted.state == .paid && granted.expiresAt == purchase.expiresAt)
      let receipt = try #require(granted.receipt)
      let signed = try #require(try TransactionHistory.decoded(fromPayloadOf: receipt).transactions.first)
      #expect(signed.transactionReason == .grant && signed.reinstates == purchase.id.uuid && signed.price.isZero)
      let revokedAt = try await shopper.order(purchase.id).revokedAt
      #expect(revokedAt != nil)
      let end = try #require(purchase.expiresAt)
      let customer = Customer(account: shopper.accountID, app: TestShop.app.id)
      let entitlement = try #require(try await store.core.entitlements(of: customer).first)
      #expect(entitlement.isActive(at: end - 1) && !entitlement.isActive(at: end + 1))
      try await subscriber.pass(to: end + 86_400)
      let restorable = try await shopper.restorable()
      #expect(restorable.isEmpty)
      let renewals = try await subscriber.renewals()
      #expect(renewals.isEmpty)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-20: with its renewal switched on and a method, a granted subscription renews in the first series")
  func renewed() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      try await subscriber.pass(days: 5)
      _ = try await shopper.failedRefund(of: subscriber.purchase.id)
      #expect(try await subscriber.setMethod(try await shopper.store.save(.succeeds, of: shopper.accountID)))
      #expect(try await subscriber.setAutoRenew(true))
      try await subscriber.pass(days: 30)
      let renewal = try #require(try await subscriber.renewals().first)
      #expect(renewal.state.stage == .paid && renewal.price == subscriber.purchase.price.money)
      #expect(renewal.originalOrderID == subscriber.purchase.id.uuid)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-20: a refund of the revoked order revokes its grant, and the subscription with it")
  func refundedAgain() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      let id = subscriber.purchase.id
      _ = try await shopper.failedRefund(of: id)
      _ = try #require(try await shopper.store.core.refunds.refund(id.uuid, because: .refund))
      let revoked = try await shopper.grants(of: id)
      #expect(revoked.map(\.state.revocation?.reason) == [.refund])
      let isSubscribed = try await subscriber.machine().isSubscribed
      #expect(!isSubscribed)
      // That one fails, too.
      let again = try #require(try await shopper.store.core.refunds.refunds(of: id.uuid).last)
      try await shopper.fail(again, of: id)
      let isEntitled = try await shopper.grants(of: id).map(\.state.isEntitled)
      #expect(isEntitled == [false, true])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-20: a refund of the grant is rejected with the id of the order that it replaces")
  func grantRefunded() async throws {
    try await TestStore().shop { shopper in
      let purchase = try await shopper.buy("season")
      _ = try await shopper.failedRefund(of: purchase.id)
      let granted = try #require(try await shopper.grants(of: purchase.id).first)
      await #expect(throws: RefundError.grant(of: purchase.id.uuid)) {
        _ = try await shopper.store.core.refunds.refund(granted.id, because: .support)
      }
      let isEntitled = try await shopper.grants(of: purchase.id).map(\.state.isEntitled)
      #expect(isEntitled == [true])
    }
  }

  @Test("SUB-20: a subscription that a grant goes on with is stopped at once with a refund of the replaced order")
  func stopped() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      let id = subscriber.purchase.id
      _ = try await shopper.failedRefund(of: id)
      let outcome = try await shopper.store.core.subscriptions.stopAtOnce(subscriber.key, because: .support)
      #expect(outcome == .over)
      let reason = try await shopper.grants(of: id).first?.state.revocation?.reason
      #expect(reason != nil)
      let refunds = try await shopper.store.core.refunds.refunds(of: id.uuid)
      #expect(refunds.map(\.amount) == [subscriber.purchase.price.money, subscriber.purchase.price.money])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-20: to its buyer a granted purchase is paid, not refunded; the request for a refund is that of its order")
  func shown() async throws {
    try await TestStore().shop { shopper in
      let purchase = try await shopper.buy("season")
      _ = try await shopper.failedRefund(of: purchase.id)
      let granted = try #require(try await shopper.grants(of: purchase.id).first)
      let core = shopper.store.core
      let facts = try await core.dependencies.database.read { try ReceiptFacts(of: purchase.id.uuid, in: $0) }
      #expect(facts.isReinstated && facts.givenBack == 0)
      for id in [purchase.id.uuid, granted.id] {
        let shown = try #require(try await core.refundRequests.purchase(id))
        #expect(shown.order.id == purchase.id.uuid && shown.isRefundable)
      }
      try await core.refundRequests.ask(
        for: purchase.id.uuid, of: shopper.accountID, reason: .unintended, note: BuyerRefundNote(""))
      _ = try await core.refunds.refund(purchase.id.uuid, because: .refund)
      let after = try #require(try await core.refundRequests.purchase(purchase.id.uuid))
      #expect(!after.isRefundable && after.request?.state == .granted)
    }
  }

  @Test("SUB-20: a consumable is granted once: the second refund that fails is owed")
  func consumableOnce() async throws {
    try await TestStore().shop { shopper in
      let purchase = try await shopper.buy("coins")
      _ = try await shopper.failedRefund(of: purchase.id)
      _ = try await shopper.failedRefund(of: purchase.id)
      let isEntitled = try await shopper.grants(of: purchase.id).map(\.state.isEntitled)
      #expect(isEntitled == [false])
      let states = try await shopper.store.core.refunds.refunds(of: purchase.id.uuid).map(\.state)
      #expect(states == [.failed, .failed])
    }
  }

  @Test("SUB-20: a consumable is granted in its quantity, and delivered on the first device that claims it")
  func consumable() async throws {
    try await TestStore().shop { shopper in
      let purchase = try await shopper.buy("coins", token: "user-1", quantity: 3)
      let outcome = try await shopper.finish(purchase.id)
      #expect(outcome == .noContent)
      _ = try await shopper.failedRefund(of: purchase.id)
      let granted = try #require(try await shopper.grants(of: purchase.id).first)
      #expect(granted.quantity == 3 && granted.appAccountToken == "user-1" && !granted.state.finished)
      var device = shopper
      device.device = UUID()
      let claimed = try await device.claim(OrderID(granted.id))
      #expect(claimed.delivery?.holder == .here)
      let numbered = try await shopper.store.core.dependencies.database.read {
        try $0.rows("SELECT order_id FROM receipt_numbers").map { try $0.text("order_id") }
      }
      #expect(numbered == [purchase.id.description])
      let faults = try await shopper.store.bookFaults()
      #expect(faults == [])
    }
  }

  @Test(
    "SUB-20: beside another purchase of the plan nothing is granted; after that one's refund, to the first one's end")
  func soldAgain() async throws {
    for isNextRefunded in [false, true] {
      try await TestStore().shop { shopper in
        let (first, store) = (try await shopper.subscribe().purchase, shopper.store)
        let refund = try #require(try await store.core.refunds.refund(first.id.uuid, because: .refund))
        try await store.core.deliverOutbox()
        let again = try await shopper.subscribe()
        if isNextRefunded { try await store.core.refunds.refund(again.purchase.id.uuid, because: .refund) }
        try await shopper.fail(refund, of: first.id)
        let ends = try await shopper.grants(of: first.id).map(\.expiresAt)
        #expect(ends == (isNextRefunded ? [first.expiresAt] : []))
        let reasons = try await shopper.restorable().map(\.reason)
        #expect(reasons == [isNextRefunded ? .grant : .purchase])
        let faults = try await again.faults()
        #expect(faults == [])
      }
    }
  }

  @Test("SUB-20: a refund that fails is granted beside an order that has the id of the grant")
  func takenID() async throws {
    try await TestStore().shop { shopper in
      let (core, purchase) = (shopper.store.core, try await shopper.buy("remove_ads"))
      let refund = try #require(try await core.refunds.refund(purchase.id.uuid, because: .refund))
      try await core.deliverOutbox()
      let paidAt = try await core.dependencies.database.read(at: shopper.store.clock.now()) {
        try core.orders.records.order(purchase.id.uuid, in: $0)?.paidAt
      }
      let id = core.orders.renewals.renewalIDs.uuid7(
        at: try #require(paidAt), of: "\(purchase.id) grant \(GrantCause.refund(refund).text)", ordinal: 0)
      let other = try await shopper.order("coins", key: id)
      #expect(other.id.uuid == id)
      try await shopper.fail(refund, of: purchase.id)
      let grants = try await shopper.grants(of: purchase.id)
      #expect(grants.count == 1 && grants.first?.state.isEntitled == true && grants.first?.id != id)
    }
  }

  @Test("SUB-20: a product that was bought again after its refund is not granted beside that purchase")
  func ownedAgain() async throws {
    try await TestStore().shop { shopper in
      let (first, store) = (try await shopper.buy("remove_ads"), shopper.store)
      let refund = try #require(try await store.core.refunds.refund(first.id.uuid, because: .refund))
      try await store.core.deliverOutbox()
      let again = try await shopper.buy("remove_ads")
      try await shopper.fail(refund, of: first.id)
      let ids = try await shopper.restorable().map(\.id)
      #expect(ids == [again.id])
      let faults = try await store.bookFaults()
      #expect(faults == [])
    }
  }

  @Test("SUB-20: after the end of the period, and for a removed account, nothing is granted")
  func tooLate() async throws {
    for isRemoved in [false, true] {
      try await TestStore().shop { shopper in
        let subscriber = try await shopper.subscribe()
        let id = subscriber.purchase.id
        let refund = try #require(try await shopper.store.core.refunds.refund(id.uuid, because: .refund))
        try await subscriber.pass(days: isRemoved ? 1 : 40)
        if isRemoved {
          let wasRemoved = try await shopper.store.removeAccount(shopper.accountID)
          #expect(wasRemoved)
        }
        try await shopper.fail(refund, of: id)
        let states = try await shopper.store.core.refunds.refunds(of: id.uuid).map(\.state)
        #expect(states == [.failed])
        let granted = try await shopper.store.core.dependencies.database.read {
          try $0.rows("SELECT id FROM orders WHERE reason = 'GRANT'").count
        }
        #expect(granted == 0)
      }
    }
  }

  @Test("SUB-20: the story of an order names its grant, and the grant's story its cause")
  func story() async throws {
    try await TestStore().shop { shopper in
      let purchase = try await shopper.buy("season")
      let refund = try await shopper.failedRefund(of: purchase.id)
      let granted = try #require(try await shopper.grants(of: purchase.id).first)
      let texts = try await shopper.store.core.dependencies.database.read { connection in
        try [purchase.id.uuid, granted.id].map { id in
          try PurchaseStory(of: id, in: connection).events.map(\.text)
        }
      }
      #expect(texts[0].contains("granted again as the order \(granted.id.lowercase) (refund:\(refund.id))"))
      #expect(texts[1].contains("granted in place of the order \(purchase.id) (refund:\(refund.id))"))
    }
  }
}

extension Shopper {
  /// Refunds an order at the sandbox, which reports later that the refund has failed.
  fileprivate func failedRefund(of id: OrderID) async throws -> Refund {
    let refund = try #require(try await store.core.refunds.refund(id.uuid, because: .refund))
    try await store.core.deliverOutbox()
    try await fail(refund, of: id)
    return refund
  }

  /// The provider's report that a refund has failed.
  fileprivate func fail(_ refund: Refund, of id: OrderID) async throws {
    let payment = try #require(try await store.payments(of: id).first)
    let status = try await store.event(
      "refund_failed", payment: payment, order: id, id: "failed-\(refund.id)",
      further: #","refund_id":"\#(refund.id)""#, with: client)
    #expect(status == .noContent)
  }
}
