import Synchronization

/// One run of a world from a seed.
public struct Simulation: Sendable {
  /// What came of it.
  public struct Outcome: Sendable {
    /// The seed.
    public let seed: UInt64
    /// The first promise that did not hold.
    public var violation: Violation?
    /// How many things happened.
    public var steps: Int
    /// What happened, line by line; empty unless asked for.
    public var trace: [String]
  }

  /// The seed that everything comes from.
  public var seed: UInt64
  /// A rule of the queue that is broken on purpose.
  public var brokenRule: BrokenRule?
  /// Whether to write down what happens.
  public var isTracing: Bool

  /// A run to be made.
  public init(seed: UInt64, brokenRule: BrokenRule? = nil, isTracing: Bool = false) {
    self.seed = seed
    self.brokenRule = brokenRule
    self.isTracing = isTracing
  }

  /// Makes the run on the present thread, from beginning to end.
  public func run() -> Outcome {
    let result = OutcomeBox()
    let jobs = JobList()
    jobs.run { [self] in
      let world = SimulatedWorld(seed: seed, brokenRule: brokenRule, isTracing: isTracing)
      await world.live { await jobs.rest() }
      result.outcome.withLock {
        $0 = Outcome(seed: seed, violation: world.violation, steps: world.steps, trace: world.lines)
      }
    }
    precondition(jobs.strays == 0, "expected all jobs of the simulation on its thread, \(jobs.strays) came from others")
    return result.outcome.withLock { $0 } ?? Outcome(seed: seed, violation: nil, steps: 0, trace: [])
  }
}

/// Carries an outcome out of the simulation.
private final class OutcomeBox: Sendable {
  let outcome = Mutex<Simulation.Outcome?>(nil)
}
