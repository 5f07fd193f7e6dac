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

/// Subscriptions that their operator stops.
@Suite("Stopped subscriptions", .timeLimit(.minutes(5)))
struct SubscriptionStopTests {
  @Test("SUB-3: stopped by the operator, a subscription ends with what is paid; said twice, it stays so")
  func withItsPeriod() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(days: 10)
      let end = try #require("02-10".midnight)
      for _ in 0..<2 {
        let actualStop = try await subscriber.stop()
        #expect(actualStop == .endsWithPeriod(end))
      }
      let givenBack = try await shopper.givenBack(subscriber.purchase.id)
      #expect(givenBack.isEmpty)
      try await subscriber.pass(days: 30)
      let renewals = try await subscriber.renewals()
      #expect(renewals.isEmpty)
      let stage = try await subscriber.machine().stage
      #expect(stage == .expired(.cancelled))
      let stop = try await subscriber.stop()
      #expect(stop == .over)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-4: stopped at once, the period that runs is taken back and what is left of its price goes back")
  func atOnce() async throws {
    try await PlanShop.open { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "basic"), shopper.store.core)
      try await subscriber.pass(days: 10)
      try await core.refunds.refund(
        subscriber.purchase.id.uuid, amount: Money(minorUnits: 400, currency: .eur), because: .refund)
      let outcome = try await subscriber.stopAtOnce()
      #expect(outcome == .over)
      let givenBack = try await shopper.givenBack(subscriber.purchase.id)
      #expect(givenBack == [400, 599])
      let revocationReason = try await shopper.order(subscriber.purchase.id).revocationReason
      #expect(revocationReason == .support)
      let restorable = try await shopper.restorable()
      #expect(restorable.isEmpty)
      let secondOutcome = try await subscriber.stopAtOnce()
      #expect(secondOutcome == .over, "twice")
      let givenBackCount = try await shopper.givenBack(subscriber.purchase.id).count
      #expect(givenBackCount == 2)
      try await subscriber.pass(days: 40)
      let renewals = try await subscriber.renewals()
      #expect(renewals.isEmpty)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test(
    "SUB-4: stopped at once for its unused time or for nothing, the order ends now and is not revoked",
    arguments: [StopRefund.unused, .nothing])
  func ended(refund: StopRefund) async throws {
    try await PlanShop.open { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "basic"), shopper.store.core)
      // By this rule a refund of a part revokes a purchase; unused time does not.
      var app = try #require(core.apps.app(TestShop.app.id))
      app.rules.refund = .any
      try await core.apps.register(app)
      try await subscriber.pass(days: 10)
      let now = shopper.store.clock.now()
      let outcome = try await subscriber.stopAtOnce(refund)
      #expect(outcome == .over)
      let back = try await shopper.givenBack(subscriber.purchase.id)
      #expect(back == (refund == .unused ? [676] : []))
      let order = try await shopper.order(subscriber.purchase.id)
      #expect(order.revokedAt == nil && order.expiresAt == now)
      let machine = try await subscriber.machine()
      #expect(machine.stage == .expired(.cancelled) && machine.period?.end == now)
      let restorable = try await shopper.restorable()
      #expect(restorable.isEmpty)
      let again = try await subscriber.stopAtOnce(refund)
      #expect(again == .over)
      let next = try await shopper.subscribe(to: "basic")
      #expect(next.purchase.expiresAt == "02-20".midnight)
      try await shopper.store.core.deliverOutbox()
      let revokedAt = try await shopper.order(subscriber.purchase.id).revokedAt
      #expect(revokedAt == nil)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-4: in the hour in which the next period is paid, its whole price and the unused time go back")
  func endedEarly() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(to: try #require(subscriber.purchase.expiresAt) - 3600)
      let renewal = OrderID(try #require(try await subscriber.renewals().first).id)
      let outcome = try await subscriber.stopAtOnce(.unused)
      #expect(outcome == .over)
      let back = [try await shopper.givenBack(subscriber.purchase.id), try await shopper.givenBack(renewal)]
      #expect(back == [[1], [999]])
      try await shopper.store.core.deliverOutbox()
      let restorable = try await shopper.restorable()
      #expect(restorable.isEmpty)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-4: a trial and an unpaid subscription end at once without money", arguments: StopRefund.allCases)
  func nothingBack(refund: StopRefund) async throws {
    try await PlanShop.open { shopper in
      let trial = try await shopper.subscribe(to: "small")
      try await trial.pass(days: 2)
      let outcome = try await trial.stopAtOnce(refund)
      #expect(outcome == .over)
      let paid = try await shopper.subscribe(to: "basic")
      try await shopper.replaceCards(by: .declined)
      try await paid.pass(days: 35)
      let isUnpaid = try await paid.machine().isUnpaid
      #expect(isUnpaid)
      let secondOutcome = try await paid.stopAtOnce(refund)
      #expect(secondOutcome == .over)
      for id in [trial.purchase.id, paid.purchase.id] {
        let total = try await shopper.store.core.refunds.refunds(of: id.uuid).total
        #expect(total == 0)
      }
      let faults = try await paid.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-4: all subscriptions of an app are stopped; one whose money a bank holds is named, and stops no other")
  func all() async throws {
    try await PlanShop.open { shopper in
      let (core, app) = (shopper.store.core, TestShop.app.id)
      let held = Subscriber(shopper: shopper, purchase: try await shopper.take("basic", with: .disputeLost))
      shopper.store.advance(by: .seconds(10))
      try await core.deliverOutbox()
      let other = Shopper(
        store: shopper.store, client: shopper.client, accountID: try await shopper.store.account(), country: "NL")
      let running = try await other.subscribe(to: "pro")
      let kept = try await core.subscriptions.stopAll(of: app, because: .support, refund: nil)
      #expect(kept.endingCount == 2 && kept.lastEnd == running.purchase.expiresAt && kept.failures.isEmpty)
      let stopped = try await core.subscriptions.stopAll(of: app, because: .support, refund: .whole)
      #expect(stopped.overCount == 1 && stopped.failures.map(\.key) == [held.key])
      let back = try await other.givenBack(running.purchase.id)
      #expect(back == [1999])
      let ended = try await core.subscriptions.stopAll(of: app, because: .support, refund: .nothing)
      #expect(ended.overCount == 1 && ended.failures.isEmpty)
      let nothing = try await core.subscriptions.stopAll(of: app, because: .support, refund: nil)
      #expect(nothing == StopSummary())
    }
  }

  @Test("SUB-4: a free trial is taken away at once, and nothing goes back")
  func trial() async throws {
    try await PlanShop.open { shopper in
      let trial = try await shopper.subscribe(to: "small")
      try await trial.pass(days: 2)
      let outcome = try await trial.stopAtOnce()
      #expect(outcome == .over)
      let restorable = try await shopper.restorable()
      #expect(restorable.isEmpty)
      let total = try await shopper.store.core.refunds.refunds(of: trial.purchase.id.uuid).total
      #expect(total == 0)
      try await trial.pass(days: 10)
      let renewals = try await trial.renewals()
      #expect(renewals.isEmpty)
    }
  }

  @Test("SUB-4: stopped at once in the hour in which the next period is paid already, that one goes back, too")
  func early() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(to: try #require(subscriber.purchase.expiresAt) - 3600)
      let renewal = OrderID(try #require(try await subscriber.renewals().first).id)
      let outcome = try await subscriber.stopAtOnce()
      #expect(outcome == .over)
      let givenBack = try await shopper.givenBack(subscriber.purchase.id)
      #expect(givenBack == [999])
      let secondGivenBack = try await shopper.givenBack(renewal)
      #expect(secondGivenBack == [999])
      let restorable = try await shopper.restorable()
      #expect(restorable.isEmpty)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-3: what is unpaid or paused is over at once, and nothing goes back", arguments: [false, true])
  func unpaid(atOnce: Bool) async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      #expect(try await shopper.store.core.subscriptions.pause(months: 1, of: subscriber.key))
      try await subscriber.pass(days: 40)
      let state = try await subscriber.listing().state
      #expect(state == "paused")
      let value = try await (atOnce ? subscriber.stopAtOnce() : subscriber.stop())
      #expect(value == .over)
      let givenBack = try await shopper.givenBack(subscriber.purchase.id)
      #expect(givenBack.isEmpty)
      let secondState = try await subscriber.listing().state
      #expect(secondState == "expired")
    }
  }

  @Test("SUB-4: while a bank holds the money nothing is taken away at once, and the renewal stays as it was")
  func disputed() async throws {
    try await PlanShop.open { shopper in
      let purchase = try await shopper.take("basic", with: .disputeLost)
      let subscriber = Subscriber(shopper: shopper, purchase: purchase)
      shopper.store.advance(by: .seconds(10))
      try await shopper.store.core.deliverOutbox()
      await #expect(throws: RefundError.self) { try await subscriber.stopAtOnce() }
      #expect(try await subscriber.machine().autoRenews)
    }
  }

  @Test("SUB-3: who never subscribed has nothing to stop")
  func nobody() async throws {
    try await PlanShop.open { shopper in
      let key = SubscriptionKey(account: shopper.accountID, app: TestShop.app.id, group: "plans")
      let service = shopper.store.core.subscriptions
      let outcomes = [try await service.stop(key), try await service.stopAtOnce(key, because: .support)]
      #expect(outcomes == [nil, nil])
    }
  }
}

extension Subscriber {
  fileprivate func stop() async throws -> StopOutcome? {
    try await shopper.store.core.subscriptions.stop(key)
  }

  fileprivate func stopAtOnce(_ refund: StopRefund = .whole) async throws -> StopOutcome? {
    try await shopper.store.core.subscriptions.stopAtOnce(key, because: .support, refund: refund)
  }

  fileprivate func listing() async throws -> SubscriptionListing {
    let all = try await shopper.store.core.dependencies.database.read { try SubscriptionListing.list(1, in: $0) }
    return try #require(all.first)
  }
}
