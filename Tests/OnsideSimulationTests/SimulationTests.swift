import OnsideSimulation
import Testing

@Suite("Simulation", .timeLimit(.minutes(10)))
struct SimulationTests {
  @Test("P1, P2, P3, P4, P5: nothing is lost, charged twice, delivered again or left open, whatever happens")
  func promises() throws {
    let result = SeedSweep(count: 200).run()
    if let failure = result.failure {
      let trace = Simulation(seed: failure.seed, isTracing: true).run().trace
      Issue.record("seed \(failure.seed): \(trace.joined(separator: "\n"))")
    }
    #expect(result.seeds == 200)
    #expect(result.steps > 200 * 100)
  }

  @Test("the same seed gives the same trace, line by line, and another seed another", arguments: [3, 104, 2005])
  func replay(seed: UInt64) {
    let runs = [seed, seed, seed + 1].map { Simulation(seed: $0, isTracing: true).run().trace }
    #expect(runs[0].count > 50)
    #expect(runs[0] == runs[1])
    #expect(runs[0] != runs[2])
  }

  @Test("tracing changes nothing", arguments: 0..<3)
  func tracing(seed: UInt64) {
    #expect(Simulation(seed: seed).run().steps == Simulation(seed: seed, isTracing: true).run().steps)
  }

  @Test("a sweep on two threads finds what one on a single thread finds")
  func threads() {
    let results = [1, 2].map { SeedSweep(count: 40, threads: $0, brokenRule: .tombstoneBeforeRemoved).run() }
    #expect(results[0].failure?.seed == results[1].failure?.seed)
    #expect(results[0].failure?.violation == results[1].failure?.violation)
  }
}

/// A simulation that finds nothing proves nothing: each of these rules is broken at the queue's border.
@Suite("Broken rules", .timeLimit(.minutes(10)))
struct BrokenRuleTests {
  /// How many seeds it may take, and which promise does not hold then.
  static let limits: [(rule: BrokenRule, seeds: Int)] = [
    (.onDiskBeforeTold, 60), (.tombstoneBeforeRemoved, 40), (.outcomeIsAsked, 20), (.finishIsRepeated, 40),
  ]

  @Test("QUE-7, QUE-9, QUE-12: a broken rule of the queue is found", arguments: limits.indices)
  func found(index: Int) throws {
    let (rule, limit) = Self.limits[index]
    let result = SeedSweep(count: limit, brokenRule: rule).run()
    let failure = try #require(result.failure, "\(rule) was not found in \(limit) seeds")
    print(
      "\(rule.rawValue): found by seed \(failure.seed), the \(result.seeds)th: \(failure.violation?.description ?? "")")
    #expect(Simulation(seed: failure.seed, brokenRule: rule).run().violation == failure.violation)
    #expect(Simulation(seed: failure.seed).run().violation == nil, "it is the broken rule that was found")
  }
}
