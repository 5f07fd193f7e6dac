import Foundation
import Testing

@testable import OnsideStore

@Suite("Subscriptions: years under seeds", .timeLimit(.minutes(20)))
struct SubscriptionSimulationTests {
  /// `ONSIDE_SEEDS=41-1000` runs others.
  private static var seeds: ClosedRange<UInt64> {
    let chosen = ProcessInfo.processInfo.environment["ONSIDE_SEEDS"]?.split(separator: "-").compactMap { UInt64($0) }
    guard let chosen, chosen.count == 2, chosen[0] <= chosen[1] else { return 1...12 }
    return chosen[0]...chosen[1]
  }

  @Test(
    "SUB-1: whatever fails, dies, sleeps or changes its mind: charged once, told before, access for money and no other",
    arguments: seeds)
  func years(seed: UInt64) async throws {
    try await SubscriptionWorld.run(seed: seed) { world in
      var simulation = SubscriptionSimulation(world, seed: seed, graceDays: [nil, 0, nil, 3, 28][Int(seed % 5)])
      try await simulation.begin(accounts: Int(seed % 3) + 1)
      try await simulation.run(steps: 60)
      let story = "seed \(seed)\n\(simulation.story.joined(separator: "\n"))"
      let books = simulation.oracle.faults.isEmpty ? [] : try await world.books()
      #expect(simulation.oracle.faults == [], "\(story)\n\(books.joined(separator: "\n"))")
    }
  }
}
