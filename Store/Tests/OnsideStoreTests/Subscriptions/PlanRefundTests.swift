import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StorePayments
@testable import StoreSales

/// What a change of plan gives back, beside other refunds and disputes.
@Suite("Refunds of changed plans", .timeLimit(.minutes(5)))
struct PlanRefundTests {
  @Test("SUB-5: no more goes back than is left, before and after other refunds, and those leave the new plan alone")
  func beside() async throws {
    try await PlanShop.open { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "basic"), shopper.store.core)
      let basic = subscriber.purchase.id
      try await subscriber.pass(days: 10)
      let goodwill = Money(minorUnits: 500, currency: .eur)
      _ = try await core.refunds.refund(basic.uuid, amount: goodwill, because: .support)
      let pro = try await shopper.take("pro")
      let givenBack = try await shopper.givenBack(basic)
      #expect(givenBack == [500, 499])
      try await core.refunds.refund(basic.uuid, because: .refund)
      try await core.deliverOutbox()
      let reduce = try await shopper.givenBack(basic).reduce(0, +)
      #expect(reduce == 999)
      let stage = try await subscriber.machine().stage
      #expect(stage == .active)
      let ids = try await shopper.restorable().map(\.id)
      #expect(ids == [pro.id])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test(
    "SUB-5: a whole price that goes back for a change, at once or in the last hour, is in the books", arguments: [0, 1])
  func whole(periods: Int) async throws {
    try await PlanShop.open { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "basic"), shopper.store.core)
      if periods > 0 { try await subscriber.pass(to: try #require("02-10".midnight) - 1800) }
      let renewals = try await subscriber.renewals()
      #expect(renewals.count == periods)
      let state = try await shopper.take("pro").state
      #expect(state == .paid)
      try await core.deliverOutbox()
      let givenBack = try await shopper.givenBack(renewals.last.map { OrderID($0.id) } ?? subscriber.purchase.id)
      #expect(givenBack == [999])
      try await shopper.store.settle()
      let faults = try await subscriber.faults()
      #expect(faults == [])
      let productID = try await subscriber.machine().period?.plan.productID
      #expect(productID == "pro")
    }
  }

  @Test("SUB-5: a part that goes back for a change takes nothing away, whatever the app's rule for refunds")
  func rule() async throws {
    try await PlanShop.open { shopper in
      var app = TestShop.app
      (app.rules.refund, app.rules.dispute) = (.any, .withdrawn)
      try await shopper.store.core.apps.register(app)
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(days: 10)
      let state = try await shopper.take("pro").state
      #expect(state == .paid)
      try await shopper.store.core.deliverOutbox()
      let (store, basic) = (shopper.store, subscriber.purchase.id)
      let revokedAt = try await shopper.order(basic).revokedAt
      #expect(revokedAt == nil)
      let payment = try #require(try await store.payments(of: basic).first)
      for (type, isRevoked) in [
        ("dispute_opened", false), ("funds_withdrawn", true), ("funds_reinstated", true), ("dispute_won", true),
      ] {
        _ = try await store.event(type, payment: payment, order: basic, with: shopper.client)
        let value = try await (shopper.order(basic).revokedAt != nil)
        #expect(value == isRevoked, "\(type)")
      }
      let stage = try await subscriber.machine().stage
      #expect(stage == .active)
      let grants = try await shopper.grants(of: basic)
      #expect(grants.isEmpty, "its time has ended with the change")
    }
  }

  @Test("SUB-20: a higher plan takes the place of a plan granted after a won dispute, and refunds nothing")
  func grantedByTheBank() async throws {
    try await PlanShop.open { shopper in
      var app = TestShop.app
      app.rules.dispute = .withdrawn
      try await shopper.store.core.apps.register(app)
      let basic = try await shopper.take("basic", with: .disputeWon)
      for _ in 0..<2 {
        shopper.store.advance(by: .seconds(20))
        try await shopper.store.core.deliverOutbox()
      }
      let granted = try #require(try await shopper.grants(of: basic.id).first)
      #expect(granted.expiresAt == basic.expiresAt && granted.state.isEntitled)
      let pro = try await shopper.take("pro")
      #expect(pro.state == .paid && pro.reason == .planChange)
      let ended = try await shopper.order(OrderID(granted.id)).expiresAt
      #expect(ended == shopper.store.clock.now())
      let givenBack = try await shopper.givenBack(basic.id)
      #expect(givenBack == [])
      let ids = try await shopper.restorable().map(\.id)
      #expect(ids == [pro.id])
    }
  }

  @Test("SUB-5: a refund of the new plan ends the subscription; the plan before it does not come back")
  func newPlan() async throws {
    try await PlanShop.open { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "basic"), shopper.store.core)
      try await subscriber.pass(days: 10)
      let pro = try await shopper.take("pro")
      try await core.refunds.refund(pro.id.uuid, because: .refund)
      try await core.deliverOutbox()
      let isSubscribed = try await subscriber.machine().isSubscribed
      #expect(isSubscribed == false)
      let restorable = try await shopper.restorable()
      #expect(restorable.isEmpty)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test(
    "SUB-5, PAY-4: a failed refund of an unused part leaves the new plan, and is owed until one refund replaces it",
    arguments: [true, false])
  func fails(isRepeated: Bool) async throws {
    try await PlanShop.open { shopper in
      let (subscriber, store) = (try await shopper.subscribe(to: "basic"), shopper.store)
      let basic = subscriber.purchase.id
      try await subscriber.pass(days: 10)
      let state = try await shopper.take("pro").state
      #expect(state == .paid)
      try await store.core.deliverOutbox()
      let refund = try #require(try await store.core.refunds.refunds(of: basic.uuid).first)
      let payment = try #require(try await store.payments(of: basic).first)
      let status = try await store.event(
        "refund_failed", payment: payment, order: basic, amount: refund.amount.minorUnits, id: "f1",
        further: #","refund_id":"\#(refund.id)""#, with: shopper.client)
      #expect(status == .noContent)
      let states = try await store.core.refunds.refunds(of: basic.uuid).map(\.state)
      #expect(states == [.failed])
      let productID = try await subscriber.machine().period?.plan.productID
      #expect(productID == "pro")
      let owed = try await store.core.refunds.owed()
      #expect(owed.map(\.refund.id) == [refund.id] && owed.first?.amount == refund.amount)
      if isRepeated {
        try await store.core.refunds.repeatRefund(refund.id)
      } else {
        try await store.core.refunds.refund(basic.uuid, amount: refund.amount, because: .support)
      }
      let left = try await store.core.refunds.owed()
      #expect(left == [])
      let revokedAt = try await shopper.order(basic).revokedAt
      #expect(revokedAt == nil)
      await #expect(throws: RefundError.notOwed(refund.id)) { try await store.core.refunds.repeatRefund(refund.id) }
      let givenBack = try await shopper.givenBack(basic)
      #expect(givenBack == [676])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test(
    "SUB-5, PAY-4: while a bank has the money, the unused part is a failed refund; a won dispute repeats it once",
    arguments: [["funds_reinstated", "dispute_won"], ["dispute_won", "funds_reinstated"]])
  func disputed(end: [String]) async throws {
    try await PlanShop.open { shopper in
      let (subscriber, store) = (try await shopper.subscribe(to: "basic"), shopper.store)
      let basic = subscriber.purchase.id
      let payment = try #require(try await store.payments(of: basic).first)
      for type in ["dispute_opened", "funds_withdrawn"] {
        _ = try await store.event(
          type, payment: payment, order: basic, with: shopper.client)
      }
      try await subscriber.pass(days: 10)
      let state = try await shopper.take("pro").state
      #expect(state == .paid)
      let refunds = try await store.core.refunds.refunds(of: basic.uuid)
      let owed = try #require(refunds.first { $0.origin == .planChange })
      #expect(owed.state == .failed && owed.amount.minorUnits == 676)
      await #expect(throws: RefundError.self) { try await store.core.refunds.repeatRefund(owed.id) }
      for type in end { _ = try await store.event(type, payment: payment, order: basic, with: shopper.client) }
      let repeated = try await store.core.refunds.refunds(of: basic.uuid).filter { $0.origin == .planChange }
      let again = try #require(repeated.first { $0.id != owed.id })
      #expect(repeated.count == 2 && again.state == .asked && again.amount == owed.amount)
      #expect(repeated.first { $0.id == owed.id }?.replacedBy == again.id)
      let revokedAt = try await shopper.order(basic).revokedAt
      #expect(revokedAt == nil)
      // The sandbox itself knows of no dispute.
      let faults = try await subscriber.faults()
      #expect(faults.allSatisfy { $0.rule == .provider })
    }
  }
}
