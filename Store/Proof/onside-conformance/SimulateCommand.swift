import ArgumentParser
import Foundation
import OnsideSimulation

/// Runs the payment queue, the store's rules, disks and networks in one process, from seeds; and years of
/// subscriptions.
struct SimulateCommand: ParsableCommand {
  /// What a seed is lived through as.
  enum World: String, CaseIterable, ExpressibleByArgument {
    case purchases, subscriptions
  }

  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract:
      "Run purchases and subscriptions through simulated faults, seed after seed; exit 1 when a promise breaks.",
    discussion: """
      Purchases are minutes of devices with the real payment queue; subscriptions are two years of one account with
      the store's rules, a provider, and devices with the SDK's list of entitlements. Everything comes from the seed:
      the same seed gives the same trace, byte for byte, with the same build. The seed that fails is printed with its
      trace; `--only WORLD --first SEED --trace` shows it again.
      """)

  @Option(help: "How many seeds.")
  var seeds = 200

  @Option(help: "The first seed.")
  var first: UInt64 = 0

  @Option(help: "Only these: \(World.allCases.map(\.rawValue).joined(separator: " or ")).")
  var only: World?

  @Option(help: "On how many threads; as many as the machine has cores unless given.")
  var threads = ProcessInfo.processInfo.activeProcessorCount

  @Option(name: .customLong("break"), help: ArgumentHelp("Break a rule on purpose: \(rules).", valueName: "rule"))
  var brokenRule: String?

  @Flag(help: "Print what happens with the first seed, and nothing else.")
  var trace = false

  private static var rules: String {
    (BrokenRule.allCases.map(\.rawValue) + BrokenBillingRule.allCases.map(\.rawValue)).joined(separator: ", ")
  }

  private var brokenQueueRule: BrokenRule? { brokenRule.flatMap(BrokenRule.init) }
  private var brokenBillingRule: BrokenBillingRule? { brokenRule.flatMap(BrokenBillingRule.init) }

  /// The worlds to be lived through: with a broken rule the one that has it.
  private var worlds: [World] {
    if let only { return [only] }
    if brokenQueueRule != nil { return [.purchases] }
    return brokenBillingRule != nil ? [.subscriptions] : World.allCases
  }

  func validate() throws {
    guard seeds > 0, threads > 0 else { throw ValidationError("--seeds and --threads have to be at least 1.") }
    if let brokenRule, brokenQueueRule == nil, brokenBillingRule == nil {
      throw ValidationError("There is no rule “\(brokenRule)”. There are: \(Self.rules).")
    }
    let isOfOther = only == .purchases ? brokenBillingRule != nil : only != nil && brokenQueueRule != nil
    if let only, isOfOther { throw ValidationError("The rule “\(brokenRule ?? "")” is none of \(only.rawValue).") }
  }

  func run() throws {
    if trace { return try show(first, of: worlds[0]) }
    for world in worlds { try sweep(world) }
  }

  private func sweep(_ world: World) throws {
    let clock = ContinuousClock()
    let start = clock.now
    let result = SeedSweep(first: first, count: seeds, threads: threads) { outcome(of: world, seed: $0) }.run()
    let speed = Double(result.seeds) / ((clock.now - start) / .seconds(1))
    print("\(world.rawValue): \(result.seeds) seeds, \(result.steps) steps, \(Int(speed)) seeds/s")
    if let failure = result.failure { try show(failure.seed, of: world) }
  }

  private func show(_ seed: UInt64, of world: World) throws {
    let outcome = outcome(of: world, seed: seed, isTracing: true)
    for line in outcome.trace { print(line) }
    guard let violation = outcome.violation else { return }
    print("\(world.rawValue), seed \(seed): \(violation)")
    throw ExitCode.failure
  }

  private func outcome(of world: World, seed: UInt64, isTracing: Bool = false) -> Simulation.Outcome {
    switch world {
    case .purchases: Simulation(seed: seed, brokenRule: brokenQueueRule, isTracing: isTracing).run()
    case .subscriptions: BillingSimulation(seed: seed, brokenRule: brokenBillingRule, isTracing: isTracing).run()
    }
  }
}
