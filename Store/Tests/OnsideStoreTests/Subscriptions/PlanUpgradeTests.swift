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

/// Changes of plan that start at once.
@Suite("Higher plans", .timeLimit(.minutes(5)))
struct PlanUpgradeTests {
  @Test("SUB-5: a higher plan starts when it is paid, and the unused part of the one before goes back")
  func upgrade() async throws {
    try await PlanShop.open { shopper in
      let (subscriber, store) = (try await shopper.subscribe(to: "basic"), shopper.store)
      try await subscriber.pass(days: 10)
      let pro = try await shopper.take("pro")
      #expect(pro.state == .paid && pro.price.amount == 1999)
      #expect(pro.expiresAt == "02-20".midnight)
      let refund = try #require(try await store.core.refunds.refunds(of: subscriber.purchase.id.uuid).first)
      #expect(refund.amount.minorUnits == 676 && refund.origin == .planChange)
      try await store.core.deliverOutbox()
      let states = try await store.core.refunds.refunds(of: subscriber.purchase.id.uuid).map(\.state)
      #expect(states == [.settled])
      let before = try await shopper.order(subscriber.purchase.id)
      #expect(before.state == .paid && before.revokedAt == nil && before.expiresAt == "01-20".midnight)
      let ids = try await shopper.restorable().map(\.id)
      #expect(ids == [pro.id])
      try await subscriber.pass(days: 32)
      let renewal = try #require(try await subscriber.renewals().first)
      #expect(renewal.product.message.id == "pro" && renewal.price.minorUnits == 1999)
      #expect(renewal.originalOrderID == pro.id.uuid && renewal.expiresAt == "03-20".midnight)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test(
    "SUB-5: a change of plan is PLAN_CHANGE in receipt, signed history and walk; its renewal, and what follows the end, not"
  )
  func reason() async throws {
    try await PlanShop.open { shopper in
      let (subscriber, key) = (try await shopper.subscribe(to: "basic"), shopper.store.freshID())
      try await subscriber.pass(days: 10)
      let pro = try await shopper.order("pro", key: key)
      #expect(pro.reason == .purchase)
      let outcome = try await shopper.agree(to: pro)
      #expect(outcome == .paid)
      let paid = try await shopper.order(pro.id)
      #expect(paid.reason == .planChange)
      let receipt = try TransactionHistory.decoded(fromPayloadOf: try #require(paid.receipt)).transactions
      #expect(receipt.map(\.transactionReason) == [.planChange])
      let actualReason = try await shopper.order("pro", key: key).reason
      #expect(actualReason == .purchase, "a repeated request has the first answer")
      try await subscriber.pass(days: 32)
      #expect(try await subscriber.setAutoRenew(false))
      try await subscriber.pass(days: 60)
      let secondReason = try await shopper.take("basic").reason
      #expect(secondReason == .purchase, "the subscription was over")
      let expected: [TransactionReason] = [.purchase, .planChange, .renewal, .purchase]
      let history = try TransactionHistory.decoded(fromPayloadOf: await shopper.history()).transactions
      #expect(history.map(\.transactionReason) == expected)
      let details = try await shopper.store.core.dependencies.database.read { [key = subscriber.key] in
        try SubscriptionDetails(of: key, in: $0)
      }
      #expect(details?.walk.map(\.order.reason) == expected)
    }
  }

  @Test("SUB-5: another plan that is bought while the renewal of the present one is unpaid is a change of plan, too")
  func reasonInGrace() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await shopper.replaceCards(by: .declined)
      try await subscriber.pass(days: 35)
      let stage = try await subscriber.machine().stage
      #expect(stage == .grace)
      let reason = try await shopper.take("small").reason
      #expect(reason == .planChange)
      let reasons = try await subscriber.renewals().map(\.reason)
      #expect(reasons == [.renewal])
    }
  }

  @Test("QUE-10: the receipt of an order that was owned already has the end of the purchase that it stands for")
  func duplicate() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      let duplicate = try await shopper.order("basic")
      #expect(duplicate.duplicateOf == subscriber.purchase.id && duplicate.expiresAt == "02-10".midnight)
      try await subscriber.pass(days: 10)
      _ = try await shopper.take("pro")
      let ended = try await shopper.order(duplicate.id)
      #expect(ended.expiresAt == "01-20".midnight)
      let receipt = try TransactionHistory.decoded(fromPayloadOf: try #require(ended.receipt)).transactions
      #expect(receipt.map(\.expiresAt) == ["01-20".midnight] && receipt.map(\.orderID) == [subscriber.purchase.id.uuid])
    }
  }

  @Test("SUB-5: two changes give back the unused part of each plan")
  func twice() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(days: 10)
      let pro = try await shopper.take("pro")
      try await subscriber.pass(days: 5)
      let max = try await shopper.take("max")
      let givenBack = try await shopper.givenBack(subscriber.purchase.id)
      #expect(givenBack == [676])
      let secondGivenBack = try await shopper.givenBack(pro.id)
      #expect(secondGivenBack == [1676])
      #expect(max.expiresAt == "02-25".midnight)
      try await shopper.store.core.deliverOutbox()
      let faults = try await shopper.store.core.dependencies.database.read { try Reconciliation($0).faults() }
      #expect(faults == [])
    }
  }

  @Test("SUB-5: another plan of the same level and length starts at once; a free trial gives nothing back")
  func sameLevelAndTrial() async throws {
    try await PlanShop.open { shopper in
      let trial = try await shopper.subscribe(to: "small")
      #expect(trial.purchase.price.amount == 0)
      try await trial.pass(days: 2)
      let basic = try await shopper.take("basic")
      #expect(basic.price.amount == 999 && basic.state == .paid)
      let expiresAt = try await shopper.order(trial.purchase.id).expiresAt
      #expect(expiresAt == shopper.store.clock.now())
      let refunds = try await shopper.store.core.refunds.refunds(of: trial.purchase.id.uuid)
      #expect(refunds.isEmpty)
      try await trial.pass(days: 31)
      // The renewal was charged early: its whole price is unused.
      let other = try await shopper.take("other")
      #expect(other.state == .paid)
      let renewal = try #require(try await trial.renewals().first)
      let givenBackCount = try await shopper.givenBack(OrderID(renewal.id)).count
      #expect(givenBackCount == 1)
      let ids = try await shopper.restorable().map(\.id)
      #expect(ids == [other.id])
      let faults = try await trial.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-5: a change of plan in one group leaves the subscription in another group as it is (case 88)")
  func otherGroup() async throws {
    try await PlanShop.open { shopper in
      let products = try PlanShop.catalogue().products.map { product in
        var product = product
        if product.id == "other" { product.subscription?.groupID = "others" }
        return product
      }
      try await shopper.store.core.catalogue.replace(try Catalogue(products: products), of: TestShop.app.id)
      let subscriber = try await shopper.subscribe(to: "basic")
      let other = Subscriber(shopper: shopper, purchase: try await shopper.take("other"), group: "others")
      try await subscriber.pass(days: 10)
      let before = try await other.machine()
      let pro = try await shopper.take("pro")
      let machine = try await other.machine()
      #expect(machine == before)
      let expiresAt = try await shopper.order(other.purchase.id).expiresAt
      #expect(expiresAt == "02-10".midnight)
      let givenBack = try await shopper.givenBack(other.purchase.id)
      #expect(givenBack == [])
      let restorable = try await Set(shopper.restorable().map(\.id))
      #expect(restorable == [pro.id, other.purchase.id])
      try await other.pass(to: try #require("02-10".midnight))
      let expirations = try await other.renewals().map(\.expiresAt)
      #expect(expirations == ["03-10".midnight])
      let renewals = try await subscriber.renewals()
      #expect(renewals.isEmpty, "the higher plan runs to 20 February")
    }
  }

  @Test("SUB-5: in the hour in which the next period is paid already, both periods go back as far as they are unused")
  func early() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      let end = try #require(subscriber.purchase.expiresAt)
      try await subscriber.pass(to: end - 3600)
      let renewal = OrderID(try #require(try await subscriber.renewals().first).id)
      let state = try await shopper.take("pro").state
      #expect(state == .paid)
      let givenBack = try await shopper.givenBack(subscriber.purchase.id)
      #expect(givenBack == [1])
      let secondGivenBack = try await shopper.givenBack(renewal)
      #expect(secondGivenBack == [999])
      let ids = try await shopper.restorable().map(\.product.id)
      #expect(ids == ["pro"])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-5: a renewal that waits for its money while a higher plan is paid is given up, and its money goes back")
  func whileRenewed() async throws {
    try await PlanShop.open { shopper in
      let (subscriber, store) = (try await shopper.subscribe(to: "basic"), shopper.store)
      try await shopper.replaceCards(by: .settlesLater)
      try await subscriber.pass(to: try #require(subscriber.purchase.expiresAt) - 3600)
      let renewal = try #require(try await subscriber.renewals().first)
      #expect(renewal.state.stage == .processing)
      let state = try await shopper.take("pro").state
      #expect(state == .paid)
      try await store.settle()
      #expect(try await store.hasGivenBack(OrderID(renewal.id)))
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.cancelled])
      let productID = try await subscriber.machine().period?.plan.productID
      #expect(productID == "pro")
    }
  }

  @Test("SUB-5: a renewal that has not reached its provider is not charged once a higher plan is paid")
  func beforeRenewed() async throws {
    try await PlanShop.open { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "basic"), shopper.store.core)
      let end = try #require(subscriber.purchase.expiresAt)
      shopper.store.advance(by: .seconds(end.timeIntervalSince(shopper.store.clock.now()) - 3600))
      try await core.subscriptions.passTime()
      let renewal = try #require(try await subscriber.renewals().first)
      let state = try await shopper.take("pro").state
      #expect(state == .paid)
      try await shopper.store.settle()
      let ledger = try await shopper.store.ledger(OrderID(renewal.id))
      #expect(ledger.isEmpty)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-5: a refused payment changes nothing, and a lower plan is not sold beside the present one")
  func refused() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(days: 10)
      let state = try await shopper.take("pro", with: .declined).state
      #expect(state == .open)
      let refunds = try await shopper.store.core.refunds.refunds(of: subscriber.purchase.id.uuid)
      #expect(refunds.isEmpty)
      let productID = try await subscriber.machine().period?.plan.productID
      #expect(productID == "basic")
      for plan in ["small", "yearly"] {
        let request = OrderRequest(productID: plan, country: try TestShop.country("NL"))
        let refused = try await shopper.tryOrder(request, key: shopper.store.freshID())
        let code = try refused.problem().code
        #expect(code == .subscriptionActive)
      }
      let ids = try await shopper.restorable().map(\.id)
      #expect(ids == [subscriber.purchase.id])
    }
  }

  @Test("SUB-5: money for a plan that is no higher one any more goes back, and the higher plan stays")
  func overtaken() async throws {
    try await PlanShop.open { shopper in
      let (subscriber, store) = (try await shopper.subscribe(to: "small"), shopper.store)
      try await subscriber.pass(days: 8)
      let slow = try await shopper.order("basic")
      let outcome = try await shopper.agree(to: slow, with: .settlesLater)
      #expect(outcome == .pending)
      let state = try await shopper.take("pro").state
      #expect(state == .paid)
      try await store.settle()
      let cancelReason = try await shopper.order(slow.id).cancelReason
      #expect(cancelReason == .subscriptionActive)
      #expect(try await store.hasGivenBack(slow.id))
      let productID = try await subscriber.machine().period?.plan.productID
      #expect(productID == "pro")
    }
  }

  @Test("SUB-5: who presses twice, or orders the same plan twice, changes once")
  func pressedTwice() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(days: 10)
      let orders = [try await shopper.order("pro"), try await shopper.order("pro")]
      try await withThrowingTaskGroup(of: PaymentOutcome.self) { group in
        for order in orders + orders { group.addTask { try await shopper.agree(to: order) } }
        for try await outcome in group { #expect(outcome != .declined) }
      }
      try await shopper.store.settle()
      let givenBack = try await shopper.givenBack(subscriber.purchase.id)
      #expect(givenBack == [676])
      let number = try await subscriber.machine().period?.number
      #expect(number == 2)
      let faults = try await subscriber.faults()
      #expect(faults == [])
      let sales = try await shopper.store.core.dependencies.database.read { connection in
        try connection.rows("SELECT amount FROM ledger WHERE kind = 'sale'").map { try $0.integer("amount") }
      }
      #expect(sales.sorted() == [999, 1999])
    }
  }
}
