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

@Suite("Renewals of subscriptions", .timeLimit(.minutes(5)))
struct RenewalTests {
  @Test("SUB-1: the next period is an order of its own, charged once, an hour before the present one ends")
  func renews() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      let end = try #require(subscriber.purchase.expiresAt)
      try await subscriber.pass(to: end - 3601)
      let renewals = try await subscriber.renewals()
      #expect(renewals.isEmpty)
      try await subscriber.pass(to: end - 3600)
      let renewal = try #require(try await subscriber.renewals().first)
      #expect(renewal.state.stage == .paid)
      #expect(renewal.originalOrderID == subscriber.purchase.id.uuid)
      #expect(renewal.price == subscriber.purchase.price.money)
      #expect(renewal.paidAt == end - 3600)
      #expect(renewal.expiresAt == Period.oneMonth.adding(to: end))
      let paymentCount = try await shopper.store.payments(of: OrderID(renewal.id)).count
      #expect(paymentCount == 1)
      try await subscriber.pass(to: end + 86_400)
      let renewalCount = try await subscriber.renewals().count
      #expect(renewalCount == 1)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-1: a device is told of a renewal when it is paid, and of nothing before")
  func told() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      try await shopper.replaceCards(by: .settlesLater)
      let cursor = try await shopper.sync().cursor
      try await subscriber.pass(to: try #require(subscriber.purchase.expiresAt) - 3600)
      let stage = try await subscriber.renewals().first?.state.stage
      #expect(stage == .processing)
      let orders = try await shopper.sync(cursor).orders
      #expect(orders.isEmpty)
      let ids = try await shopper.sync().orders.map(\.id)
      #expect(ids == [subscriber.purchase.id])
      try await shopper.store.settle()
      let told = try await shopper.sync(cursor).orders
      #expect(told.map(\.reason) == [.renewal])
      #expect(told.map(\.state) == [.paid])
      #expect(told.first?.originalOrderID == subscriber.purchase.id)
      let history = try await shopper.history()
      #expect(history.isEmpty == false)
    }
  }

  @Test("STO-9: three years of a subscription are 36 periods without a gap, and the books are right")
  func threeYears() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      let start = try #require(subscriber.purchase.paidAt)
      try await subscriber.pass(to: Period.oneYear.adding(to: start, times: 3) - 7200)
      let renewals = try await subscriber.renewals()
      #expect(renewals.count == 35)
      let ends = ([subscriber.purchase.expiresAt] + renewals.map(\.expiresAt)).compactMap(\.self)
      #expect(ends == (1...36).map { Period.oneMonth.adding(to: start, times: $0) })
      let sales = try await shopper.store.core.dependencies.database.read { connection in
        try connection.rows("SELECT amount FROM ledger WHERE kind = 'sale'").map { try $0.integer("amount") }
      }
      #expect(sales == Array(repeating: 999, count: 36))
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-1: a product that is not sold any more renews at the price that was agreed")
  func withdrawn() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      let outcome = try await subscriber.choose("small", at: 499)
      #expect(outcome == .planned)
      try await shopper.store.core.catalogue.replace(try Catalogue(products: []), of: TestShop.app.id)
      try await subscriber.pass(days: 65)
      let minorUnits = try await subscriber.renewals().map(\.price.minorUnits)
      #expect(minorUnits == [499, 499])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-1: a store that slept charges once, and the period follows the one before")
  func slept() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      let end = try #require(subscriber.purchase.expiresAt)
      shopper.store.advance(by: .seconds(end.timeIntervalSince(shopper.store.clock.now()) + 9 * 86_400))
      try await shopper.store.core.subscriptions.passTime()
      try await shopper.store.core.deliverOutbox()
      let expirations = try await subscriber.renewals().map(\.expiresAt)
      #expect(expirations == [Period.oneMonth.adding(to: end)])
    }
  }

  @Test("SUB-1: what was paid on a page that says that it ends does end, and can be bought again")
  func notKept() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe(keeping: false)
      let autoRenews = try await subscriber.machine().autoRenews
      #expect(autoRenews == false)
      try await subscriber.pass(days: 40)
      let stage = try await subscriber.machine().stage
      #expect(stage == .expired(.cancelled))
      let renewals = try await subscriber.renewals()
      #expect(renewals.isEmpty)
      let again = try await shopper.subscribe()
      let secondStage = try await again.machine().stage
      #expect(secondStage == .active)
      #expect(again.purchase.originalOrderID == again.purchase.id)
    }
  }

  @Test("SUB-17: a card that was not saved renews its subscription; when it is declined, no saved card is charged")
  func notSaved() async throws {
    try await TestStore().shop { shopper in
      let (subscriber, store) = (try await shopper.subscribe(saving: false), shopper.store)
      let saved = try await store.core.payments.methods(of: shopper.accountID)
      #expect(saved.isEmpty)
      try await subscriber.pass(days: 70)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.paid, .paid])
      try await store.core.dependencies.database.write {
        try $0.execute("UPDATE payment_methods SET reference = 'declined'")
      }
      try await store.save(.succeeds, of: shopper.accountID)
      try await subscriber.pass(days: 31)
      let last = try #require(try await subscriber.renewals().last)
      #expect(last.state.stage == .open)
    }
  }

  @Test(
    "SUB-3: off and on again in the last hour, the method of the subscription is charged, and no saved card")
  func methodAfterSwitch() async throws {
    try await TestStore().shop { shopper in
      let (subscriber, store) = (try await shopper.subscribe(saving: false), shopper.store)
      try await store.save(.declined, of: shopper.accountID)
      let end = try #require(subscriber.purchase.expiresAt)
      store.advance(by: .seconds((end - 3600).timeIntervalSince(store.clock.now())))
      // The charge is asked for, and has not left the store.
      try await store.core.subscriptions.passTime()
      #expect(try await subscriber.setAutoRenew(false))
      try await store.core.deliverOutbox()
      #expect(try await subscriber.setAutoRenew(true))
      try await subscriber.pass(to: end)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.paid])
    }
  }

  @Test("SUB-1: a charge that waits for its provider is not made when the renewal was switched off or the card removed")
  func notAgreedAnyMore() async throws {
    for isSwitchedOff in [true, false] {
      try await TestStore().shop { shopper in
        let (subscriber, core) = (try await shopper.subscribe(), shopper.store.core)
        let end = try #require(subscriber.purchase.expiresAt)
        shopper.store.advance(by: .seconds(end.timeIntervalSince(shopper.store.clock.now()) - 3600))
        try await core.subscriptions.passTime()
        let stages = try await subscriber.renewals().map(\.state.stage)
        #expect(stages == [.processing])
        if isSwitchedOff {
          #expect(try await subscriber.setAutoRenew(false))
        } else {
          try await shopper.replaceCards(by: nil)
        }
        try await core.deliverOutbox()
        let secondStages = try await subscriber.renewals().map(\.state.stage)
        #expect(secondStages == [.open])
        try await subscriber.pass(to: end)
        let thirdStages = try await subscriber.renewals().map(\.state.stage)
        #expect(thirdStages == [isSwitchedOff ? .cancelled : .open])
        let faults = try await subscriber.faults()
        #expect(faults == [])
      }
    }
  }

  @Test("SUB-1: while a charge is not answered nothing is lost, and nothing is paid twice")
  func unanswered() async throws {
    try await TestStore().shop { shopper in
      let (subscriber, store) = (try await shopper.subscribe(), shopper.store)
      try await shopper.replaceCards(by: .neverSettles)
      let end = try #require(subscriber.purchase.expiresAt)
      try await subscriber.pass(to: end + 600)
      let stage = try await subscriber.machine().stage
      #expect(stage == .due)
      #expect(try await subscriber.machine().isEntitled(at: end + 600))
      let order = try await shopper.order("pro")
      let outcome = try await shopper.pay(order, with: .succeeds)
      #expect(outcome == .closed, "its next period is being paid")
      let renewal = OrderID(try #require(try await subscriber.renewals().first).id)
      let payment = try #require(try await store.payments(of: renewal).first)
      for _ in 1...2 {
        let status = try await store.event("succeeded", payment: payment, order: renewal, with: shopper.client)
        #expect(status == .noContent)
      }
      let expirations = try await subscriber.renewals().map(\.expiresAt)
      #expect(expirations == [Period.oneMonth.adding(to: end)])
      let ledgerCount = try await store.ledger(renewal).count { $0.kind == "sale" }
      #expect(ledgerCount == 1)
    }
  }
}
