import OnsideSimulation
import Testing

@Suite("Simulation of billing", .timeLimit(.minutes(5)))
struct BillingSimulationTests {
  @Test("SUB-1, SUB-5, SUB-8, ENT-4, ENT-5: two years hold from 200 seeds, with faults, kills and changes of mind")
  func promises() async {
    let result = await aside { SeedSweep(count: 200) { BillingSimulation(seed: $0).run() }.run() }
    if let failure = result.failure {
      let trace = BillingSimulation(seed: failure.seed, isTracing: true).run().trace
      Issue.record("seed \(failure.seed): \(trace.joined(separator: "\n"))")
    }
    #expect(result.seeds == 200)
    #expect(result.steps > 200 * 100)
  }

  @Test(
    "the same seed gives the same trace, line by line, and another seed another", arguments: [3, 104, 2005] as [UInt64])
  func replay(seed: UInt64) async {
    let runs = await aside {
      [seed, seed, seed + 1].map { BillingSimulation(seed: $0, isTracing: true).run().trace }
    }
    #expect(runs[0].count > 50)
    #expect(runs[0] == runs[1])
    #expect(runs[0] != runs[2])
  }

  @Test("a broken rule is found, and the unbroken one holds with that seed", arguments: BrokenBillingRule.allCases)
  func found(rule: BrokenBillingRule) async throws {
    let result = await aside { SeedSweep(count: 600) { BillingSimulation(seed: $0, brokenRule: rule).run() }.run() }
    let failure = try #require(result.failure, "\(rule) was not found in 600 seeds")
    print("\(rule.rawValue): seeds until found: \(result.seeds): \(failure.violation?.description ?? "")")
    #expect(BillingSimulation(seed: failure.seed).run().violation == nil, "it is the broken rule that was found")
  }
}
