import ArgumentParser
import Foundation
import OnsideSimulation

/// Runs the payment queue, the store's rules, disks and networks in one process, from seeds.
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Run the payment queue through simulated faults, seed after seed; exit 1 when a promise does not hold.",
    discussion: """
      Everything comes from the seed: the same seed gives the same trace, byte for byte, with the same build. The seed
      that fails is printed with its trace; `--first SEED --trace` shows it again.
      """)

  @Option(help: "How many seeds.")
  var seeds = 200

  @Option(help: "The first seed.")
  var first: UInt64 = 0

  @Option(help: "On how many threads; as many as the machine has cores unless given.")
  var threads = ProcessInfo.processInfo.activeProcessorCount

  @Option(
    name: .customLong("break"),
    help: "Break a rule of the queue on purpose: \(BrokenRule.allCases.map(\.rawValue).joined(separator: ", ")).",
    transform: rule)
  var brokenRule: BrokenRule?

  @Flag(help: "Print what happens with the first seed, and nothing else.")
  var trace = false

  func validate() throws {
    guard seeds > 0, threads > 0 else { throw ValidationError("--seeds and --threads have to be at least 1.") }
  }

  func run() throws {
    if trace { return try show(first) }
    let clock = ContinuousClock()
    let start = clock.now
    let result = SeedSweep(first: first, count: seeds, threads: threads, brokenRule: brokenRule).run()
    let speed = Double(result.seeds) / ((clock.now - start) / .seconds(1))
    print("\(result.seeds) seeds, \(result.steps) steps, \(Int(speed)) seeds/s")
    if let failure = result.failure { try show(failure.seed) }
  }

  private func show(_ seed: UInt64) throws {
    let outcome = Simulation(seed: seed, brokenRule: brokenRule, isTracing: true).run()
    for line in outcome.trace { print(line) }
    guard let violation = outcome.violation else { return }
    print("seed \(seed): \(violation)")
    throw ExitCode.failure
  }

  @Sendable private static func rule(_ name: String) throws -> BrokenRule {
    guard let rule = BrokenRule(rawValue: name) else { throw ValidationError("There is no rule “\(name)”.") }
    return rule
  }
}
