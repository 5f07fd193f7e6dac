import Dispatch
import Synchronization

/// Runs of many seeds, on several threads.
public struct SeedSweep: Sendable {
  /// The first seed.
  public var first: UInt64
  /// How many seeds.
  public var count: Int
  /// On how many threads.
  public var threads: Int
  private let simulate: @Sendable (UInt64) -> Simulation.Outcome

  /// A sweep that runs a simulation with each seed.
  public init(
    first: UInt64 = 0, count: Int, threads: Int = 1, _ simulate: @escaping @Sendable (UInt64) -> Simulation.Outcome
  ) {
    self.first = first
    self.count = count
    self.threads = threads
    self.simulate = simulate
  }

  /// Runs of ``Simulation`` to be made, perhaps with a rule of the queue that is broken on purpose.
  public init(first: UInt64 = 0, count: Int, threads: Int = 1, brokenRule: BrokenRule? = nil) {
    self.init(first: first, count: count, threads: threads) { Simulation(seed: $0, brokenRule: brokenRule).run() }
  }

  /// What came of all runs.
  public struct Result: Sendable {
    /// How many seeds were run before the sweep ended.
    public var seeds = 0
    /// How many things happened in them.
    public var steps = 0
    /// The lowest seed with a promise that did not hold, without its trace.
    public var failure: Simulation.Outcome?
  }

  /// Runs seed after seed, until all are done or one has failed.
  public func run() -> Result {
    let result = Shared()
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      for offset in stride(from: thread, to: count, by: threads) {
        guard result.mayGoOn(to: first + UInt64(offset)) else { return }
        result.add(simulate(first + UInt64(offset)))
      }
    }
    return result.value
  }

  /// The result that all threads add to.
  private final class Shared: Sendable {
    private let state = Mutex(Result())

    var value: Result { state.withLock { $0 } }

    /// Whether a seed can still be the lowest that fails.
    func mayGoOn(to seed: UInt64) -> Bool { state.withLock { $0.failure.map { seed < $0.seed } ?? true } }

    func add(_ outcome: Simulation.Outcome) {
      state.withLock { state in
        state.seeds += 1
        state.steps += outcome.steps
        if outcome.violation != nil, outcome.seed < state.failure?.seed ?? .max { state.failure = outcome }
      }
    }
  }
}
