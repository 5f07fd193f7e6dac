import Foundation
import OnsideCommerce
import StripeDouble
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

/// The store dies at every write of a trial, from the order to the first charge, one after the other.
@Suite(
  "Stripe: a store that dies anywhere in a trial", .timeLimit(.minutes(10)),
  .onSQLite("the engine makes no difference to it"))
struct StripeTrialKillTests {
  private static let week = 7 * 86_400

  @Test(
    "SUB-14: killed at any write of a trial, it is neither lost nor doubled, and its first charge comes once",
    arguments: ["4242424242424242", "4000002500003155"])
  func anywhere(card: String) async throws {
    var deaths: [MortalDatabase.Death?] = [nil]
    var number = 0
    while number < deaths.count {
      let death = deaths[number]
      let writes = try await Self.run(card: card, death: death)
      if death == nil {
        #expect(writes > 5)
        deaths += (1...writes).flatMap { write in
          [false, true].map { MortalDatabase.Death(write: write, isAfterCommit: $0) }
        }
      }
      number += 1
    }
  }

  /// Runs a trial with a death; returns how many writes there were without one.
  private static func run(card: String, death: MortalDatabase.Death?) async throws -> Int {
    let (counts, count) = AsyncStream.makeStream(of: Int.self)
    try await PaidStore.run { world in
      try await world.core.catalogue.replace(try PlanShop.catalogue(), of: TestShop.app.id)
      let id = UUID()
      world.database.plan(death)
      let comment = Comment(rawValue: "killed \(death?.description ?? "never")")
      do { try await begin(id, card: card, in: world) } catch { Issue.record(error, comment) }
      do { try await renew(id, in: world) } catch { Issue.record(error, comment) }
      count.yield(world.database.writes)
      try await world.settle()
      #expect(world.startCount == (death == nil ? 1 : 2), comment)
      let faults = try await world.faults()
      #expect(faults == [], comment)
      let stage = try await world.stage(id)
      #expect(stage == .paid, comment)
      #expect(world.stripe.payments.map(\.amount) == [499], comment)
      #expect(world.stripe.payments.map(\.successfulCharges) == [1], comment)
      let setups = world.stripe.setups
      #expect(setups.filter { $0.status == "succeeded" }.count == 1, comment)
      #expect(!setups.contains { $0.status.hasPrefix("requires") }, comment)
      let actualPeriod = try await period(in: world)
      #expect(actualPeriod == 2, comment)
    }
    count.finish()
    for await writes in counts { return writes }
    return 0
  }

  /// A buyer who does not give up: orders, has the card set up, and comes back to the page until the order is paid.
  private static func begin(_ id: UUID, card: String, in world: PaidStore) async throws {
    for _ in 0..<12 {
      try await world.surely { try await world.order(id, of: "small") }
      try await world.surely {
        guard try await world.stage(id) == .open else { return }
        let token = world.core.payments.tokens.token(orderID: id)
        if try await world.core.payments.waitingCharge(token) != nil {
          try await world.enter(card, for: id)
        } else {
          try await world.pay(id, with: .offered("card", save: false, keep: true), shownPrice: 0)
        }
      }
      if try await world.stage(id) == .paid { break }
      // A process that died held what it was about to do for some seconds.
      try await world.later(20)
    }
    try await world.tell()
  }

  /// Lets the trial end.
  private static func renew(_ id: UUID, in world: PaidStore) async throws {
    try await world.later(week - 1800)
    for _ in 0..<3 {
      try await world.surely { _ = try await world.core.subscriptions.passTime() }
      try await world.later(30)
      try await world.tell()
    }
  }

  private static func period(in world: PaidStore) async throws -> Int? {
    let key = SubscriptionKey(account: world.customer.account, app: world.customer.app, group: "plans")
    return try await world.core.dependencies.database.read {
      try SubscriptionRecords.subscription(key, in: $0)?.machine.period?.number
    }
  }
}
