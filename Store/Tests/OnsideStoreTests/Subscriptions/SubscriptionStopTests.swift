import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore

/// Subscriptions that their operator stops.
@Suite("Stopped subscriptions", .timeLimit(.minutes(5)))
struct SubscriptionStopTests {
  @Test("SUB-3: stopped by the operator, a subscription ends with what is paid; said twice, it stays so")
  func withItsPeriod() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(days: 10)
      let end = try #require("02-10".midnight)
      for _ in 0..<2 { #expect(try await subscriber.stop() == .endsWithPeriod(end)) }
      #expect(try await shopper.givenBack(subscriber.purchase.id).isEmpty)
      try await subscriber.pass(days: 30)
      #expect(try await subscriber.renewals().isEmpty)
      #expect(try await subscriber.machine().stage == .expired(.cancelled))
      #expect(try await subscriber.stop() == .over)
      #expect(try await subscriber.faults() == [])
    }
  }

  @Test("SUB-4: stopped at once, the period that runs is taken back and what is left of its price goes back")
  func atOnce() async throws {
    try await PlanShop.open { shopper in
      let (subscriber, core) = (try await shopper.subscribe(to: "basic"), shopper.store.core)
      try await subscriber.pass(days: 10)
      try await core.refunds.refund(
        subscriber.purchase.id.uuid, amount: Money(minorUnits: 400, currency: .eur), because: .refund)
      #expect(try await subscriber.stopAtOnce() == .over)
      #expect(try await shopper.givenBack(subscriber.purchase.id) == [400, 599])
      #expect(try await shopper.order(subscriber.purchase.id).revocationReason == .support)
      #expect(try await shopper.restorable().isEmpty)
      #expect(try await subscriber.stopAtOnce() == .over, "twice")
      #expect(try await shopper.givenBack(subscriber.purchase.id).count == 2)
      try await subscriber.pass(days: 40)
      #expect(try await subscriber.renewals().isEmpty)
      #expect(try await subscriber.faults() == [])
    }
  }

  @Test("SUB-4: a free trial is taken away at once, and nothing goes back")
  func trial() async throws {
    try await PlanShop.open { shopper in
      let trial = try await shopper.subscribe(to: "small")
      try await trial.pass(days: 2)
      #expect(try await trial.stopAtOnce() == .over)
      #expect(try await shopper.restorable().isEmpty)
      #expect(try await shopper.store.core.refunds.refunds(of: trial.purchase.id.uuid).total == 0)
      try await trial.pass(days: 10)
      #expect(try await trial.renewals().isEmpty)
    }
  }

  @Test("SUB-4: stopped at once in the hour in which the next period is paid already, that one goes back, too")
  func early() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      try await subscriber.pass(to: try #require(subscriber.purchase.expiresAt) - 3600)
      let renewal = OrderID(try #require(try await subscriber.renewals().first).id)
      #expect(try await subscriber.stopAtOnce() == .over)
      #expect(try await shopper.givenBack(subscriber.purchase.id) == [999])
      #expect(try await shopper.givenBack(renewal) == [999])
      #expect(try await shopper.restorable().isEmpty)
      #expect(try await subscriber.faults() == [])
    }
  }

  @Test("SUB-3: what is unpaid or paused is over at once, and nothing goes back", arguments: [false, true])
  func unpaid(atOnce: Bool) async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      #expect(try await shopper.store.core.subscriptions.pause(months: 1, of: subscriber.key))
      try await subscriber.pass(days: 40)
      #expect(try await subscriber.listing().state == "paused")
      #expect(try await (atOnce ? subscriber.stopAtOnce() : subscriber.stop()) == .over)
      #expect(try await shopper.givenBack(subscriber.purchase.id).isEmpty)
      #expect(try await subscriber.listing().state == "expired")
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

  fileprivate func stopAtOnce() async throws -> StopOutcome? {
    try await shopper.store.core.subscriptions.stopAtOnce(key, because: .support)
  }

  fileprivate func listing() async throws -> SubscriptionListing {
    let all = try await shopper.store.core.dependencies.database.read { try SubscriptionListing.list(1, in: $0) }
    return try #require(all.first)
  }
}
