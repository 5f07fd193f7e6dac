import Foundation
import OnsideCommerce
import StoreTestSupport
import StripeDouble
import Testing

@testable import OnsideStore

@Suite("Stripe: weeks under seeds", .timeLimit(.minutes(20)))
struct StripeSimulationTests {
  /// `ONSIDE_SEEDS=41-1000` runs others.
  private static var seeds: ClosedRange<UInt64> {
    let chosen = ProcessInfo.processInfo.environment["ONSIDE_SEEDS"]?.split(separator: "-").compactMap { UInt64($0) }
    guard let chosen, chosen.count == 2, chosen[0] <= chosen[1] else { return 1...40 }
    return chosen[0]...chosen[1]
  }

  @Test(
    "PAY-6: whatever fails, comes late, comes twice or dies, in the end the store's books are Stripe's",
    arguments: seeds)
  func weeks(seed: UInt64) async throws {
    try await PaidStore.run(seed: seed) { world in
      var simulation = StripeSimulation(world, seed: seed)
      try await simulation.run(steps: 40)
      try await world.settle()
      let faults = try await world.faults(try await world.known(simulation.orders))
      #expect(faults == [], "\(simulation.story.joined(separator: "\n"))")
    }
  }

  @Test("the seeds reach what they are to try: sales, refunds, disputes, payouts, orders given up, a store that dies")
  func reach() async throws {
    let reached = Lines()
    for seed: UInt64 in 1...8 {
      try await PaidStore.run(seed: seed) { world in
        var simulation = StripeSimulation(world, seed: seed)
        try await simulation.run(steps: 40)
        for type in world.stripe.eventTypes { reached.add(type) }
        if world.startCount > 1 { reached.add("death") }
        for id in try await world.known(simulation.orders) { reached.add(try await world.stage(id).rawValue) }
      }
    }
    let expected: Set = [
      "payment_intent.succeeded", "refund.created", "charge.dispute.funds_withdrawn", "payout.paid", "death", "paid",
      "cancelled",
    ]
    #expect(expected.subtracting(reached.all) == [])
  }
}
