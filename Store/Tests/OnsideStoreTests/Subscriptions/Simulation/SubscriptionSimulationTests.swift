import Foundation
import Testing

@testable import OnsideStore
@testable import StoreBase

@Suite("Subscriptions: years under seeds", .timeLimit(.minutes(20)))
struct SubscriptionSimulationTests {
  /// `ONSIDE_SEEDS=41-1000` runs others.
  private static var seeds: ClosedRange<UInt64> {
    let chosen = ProcessInfo.processInfo.environment["ONSIDE_SEEDS"]?.split(separator: "-").compactMap { UInt64($0) }
    guard let chosen, chosen.count == 2, chosen[0] <= chosen[1] else {
      return TestDatabase.isPostgres ? 1...2 : 1...4
    }
    return chosen[0]...chosen[1]
  }

  @Test(
    "SUB-1: whatever fails, dies, sleeps or changes its mind: charged once, told before, access for money and no other",
    arguments: seeds)
  func years(seed: UInt64) async throws {
    try await SubscribedStore.run(seed: seed, processes: seed % 2 == 0 ? 2 : 1) { world in
      var simulation = SubscriptionSimulation(world, seed: seed, graceDays: [nil, 0, nil, 3, 28][Int(seed % 5)])
      try await simulation.begin(accounts: Int(seed % 3) + 1)
      try await simulation.run(steps: 60)
      let story = "seed \(seed)\n\(simulation.story.joined(separator: "\n"))"
      let books = simulation.oracle.faults.isEmpty ? [] : try await world.books()
      #expect(simulation.oracle.faults == [], "\(story)\n\(books.joined(separator: "\n"))")
    }
  }

  @Test(
    "the seeds reach what they are to try: every message, refund, end of an order, and a store that dies",
    .onSQLite("they are the same for each engine"))
  func reach() async throws {
    let reached = Lines()
    let expected: Set = [
      "unpaid", "offer_ends", "price", "plan change", "operator", "provider", "bank", "RENEWAL paid",
      "PURCHASE paid", "RENEWAL cancelled", "PURCHASE cancelled", "death", "try PURCHASE",
      "days PURCHASE",
      "loyal PURCHASE", "half PURCHASE", "refused",
    ]
    for seed: UInt64 in 201...240 where !expected.isSubset(of: reached.all) {
      try await SubscribedStore.run(seed: seed, processes: seed % 2 == 0 ? 2 : 1) { world in
        var simulation = SubscriptionSimulation(world, seed: seed, graceDays: nil)
        try await simulation.begin(accounts: 2)
        try await simulation.run(steps: 60)
        #expect(simulation.oracle.faults == [], "seed \(seed)\n\(simulation.story.joined(separator: "\n"))")
        for kind in try await world.reached() { reached.add(kind) }
        if world.paid.startCount > world.paid.processes.all.count { reached.add("death") }
      }
    }
    #expect(expected.subtracting(reached.all) == [])
  }
}

extension SubscribedStore {
  /// What has come about, by name.
  fileprivate func reached() async throws -> [String] {
    let queries = [
      "SELECT DISTINCT kind AS name FROM subscription_messages", "SELECT DISTINCT origin AS name FROM refunds",
      "SELECT DISTINCT outcome AS name FROM subscription_messages WHERE outcome IS NOT NULL",
      "SELECT DISTINCT reason || ' ' || state AS name FROM orders",
      "SELECT DISTINCT offer_id || ' ' || reason AS name FROM orders WHERE offer_id IS NOT NULL AND state = 'paid'",
    ]
    return try await core.dependencies.database.read { connection in
      try queries.flatMap { try connection.rows($0).map { try $0.text("name") } }
    }
  }
}
