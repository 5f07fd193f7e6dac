import Foundation
import OnsideCommerce
import StoreBaseTestSupport
import StripeDouble
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

/// The store dies at every write of a purchase that pays the due period after a declined plan, one after the other.
@Suite(
  "Stripe: a store that dies while a plan is bought again", .timeLimit(.minutes(10)),
  .onSQLite("the engine makes no difference to it"))
struct StripePlanKillTests {
  @Test("SUB-6: killed at any write, the present plan is bought again after a declined one, and is charged once")
  func anywhere() async throws {
    var deaths: [MortalDatabase.Death?] = [nil]
    var number = 0
    while number < deaths.count {
      let death = deaths[number]
      let writes = try await Self.run(death)
      if death == nil {
        #expect(writes > 2)
        deaths += (1...writes).flatMap { write in
          [false, true].map { MortalDatabase.Death(write: write, isAfterCommit: $0) }
        }
      }
      number += 1
    }
  }

  /// Buys the present plan again with a death; returns how many writes there were without one.
  private static func run(_ death: MortalDatabase.Death?) async throws -> Int {
    let (counts, count) = AsyncStream.makeStream(of: Int.self)
    try await PaidStore.run { world in
      let comment = Comment(rawValue: "killed \(death?.description ?? "never")")
      let key = SubscriptionKey(account: world.customer.account, app: world.customer.app, group: "plans")
      try await beginGrace(of: key, in: world)
      world.database.plan(death)
      try await buyAgain(in: world)
      count.yield(world.database.writes)
      try await world.settle()
      #expect(world.startCount == (death == nil ? 1 : 2), comment)
      let faults = try await world.faults()
      #expect(faults == [], comment)
      let paid = world.stripe.payments.filter { $0.successfulCharges > 0 }
      #expect(paid.map(\.amount) == [999, 999] && paid.allSatisfy { $0.refunded == 0 }, comment)
      #expect(!world.stripe.payments.contains { $0.status.hasPrefix("requires") }, comment)
      let machine = try await subscription(key, in: world)?.machine
      #expect(machine?.period?.number == 2 && machine?.period?.plan.productID == "basic", comment)
      #expect(machine?.stage == .active && machine?.nextPlan == nil, comment)
    }
    count.finish()
    for await writes in counts { return writes }
    return 0
  }

  /// Subscribes, chooses another plan, and lets its payment be refused until the period is over.
  private static func beginGrace(of key: SubscriptionKey, in world: PaidStore) async throws {
    try await world.core.catalogue.replace(try PlanShop.catalogue(), of: TestShop.app.id)
    let id = UUID()
    try await world.order(id, of: "basic")
    try await world.pay(id, with: .offered("card", save: true, keep: true), shownPrice: 999)
    try await world.enter("4242424242424242", for: id)
    try await world.tell()
    let outcome = try await choose("small", at: 499, of: key, in: world)
    #expect(outcome == .planned)
    let card = try #require(world.stripe.savedMethods.first)
    try world.stripe.decline(card, with: [Decline("insufficient_funds")])
    let end = try #require(try await subscription(key, in: world)?.machine.period?.end)
    for moment in [end - 1800, end + 1800] {
      try await world.later(Int(moment.timeIntervalSince(world.clock.now())))
      try await world.tell()
    }
    let stage = try await subscription(key, in: world)?.machine.stage
    #expect(stage == .grace)
  }

  /// A buyer who does not give up: orders, enters a card, and comes back to the page until the order is paid.
  private static func buyAgain(in world: PaidStore) async throws {
    let id = UUID()
    for _ in 0..<12 {
      try await world.surely { try await world.order(id, of: "basic") }
      try await world.surely {
        guard try await world.stage(id) == .open else { return }
        let token = world.core.payments.tokens.token(orderID: id)
        if try await world.core.payments.waitingCharge(token) != nil {
          try await world.enter("5555555555554444", for: id)
        } else {
          try await world.pay(id, with: .offered("card", save: true, keep: true), shownPrice: 999)
        }
      }
      if try await world.stage(id) == .paid { break }
      // A process that died held what it was about to do for some seconds.
      try await world.later(20)
    }
    for _ in 0..<2 {
      try await world.later(30)
      try await world.tell()
    }
  }

  private static func choose(
    _ plan: String, at price: Int64, of key: SubscriptionKey, in world: PaidStore
  ) async throws -> PlanChoice {
    try await world.core.subscriptions.choosePlan(
      plan, shownPrice: Money(minorUnits: price, currency: .eur), language: "en", of: key)
  }

  private static func subscription(_ key: SubscriptionKey, in world: PaidStore) async throws -> StoredSubscription? {
    try await world.core.dependencies.database.read { try SubscriptionRecords.subscription(key, in: $0) }
  }
}
