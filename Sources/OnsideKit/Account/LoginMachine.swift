/// The state machine of logins: at most one attempt at a time, which every caller that needs a login joins (ACC-1).
/// Pure: the work to do is returned as effects.
package struct LoginMachine: Sendable, Hashable {
  /// An input of the machine.
  package enum Event: Sendable, Hashable {
    /// A caller needs a login.
    case requested(waiter: Int)
    /// A login that an earlier process began has its answer.
    case answered
    /// A caller has stopped waiting.
    case abandoned(waiter: Int)
    /// The login is to end without an answer.
    case cancelled
    /// An attempt ended; `true` when an account is signed in now.
    case ended(attempt: Int, signedIn: Bool)
  }

  /// An output of the machine: work to do, in order.
  package enum Effect: Sendable, Hashable {
    /// Start an attempt, once earlier ones have ended.
    case begin(attempt: Int)
    /// Show the user the attempt's screen again: another caller needs a login while it is under way.
    case remind(attempt: Int)
    /// End an attempt: close its screen.
    case cancel(attempt: Int)
    /// Resume these callers: signed in, or the login was discarded.
    case settle(waiters: [Int], signedIn: Bool)
  }

  private struct Running: Sendable, Hashable {
    var attempt: Int
    var waiters: [Int]
  }

  private var attempts = 0
  private var running: Running?

  package init() {}

  /// Whether an attempt is under way.
  package var isRunning: Bool { running != nil }

  /// Whether this attempt is under way.
  package func isRunning(_ attempt: Int) -> Bool { running?.attempt == attempt }

  /// Handles an event. Events of an attempt that was cancelled or has ended are ignored.
  package mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .requested(let waiter):
      if let current = running {
        running?.waiters.append(waiter)
        return [.remind(attempt: current.attempt)]
      }
      attempts += 1
      running = Running(attempt: attempts, waiters: [waiter])
      return [.begin(attempt: attempts)]
    case .answered:
      guard running == nil else { return [] }
      attempts += 1
      running = Running(attempt: attempts, waiters: [])
      return [.begin(attempt: attempts)]
    case .abandoned(let waiter):
      guard let current = running, current.waiters.contains(waiter) else { return [] }
      guard current.waiters != [waiter] else { return handle(.cancelled) }
      running?.waiters.removeAll { $0 == waiter }
      return [.settle(waiters: [waiter], signedIn: false)]
    case .cancelled:
      guard let current = running else { return [] }
      running = nil
      return [.cancel(attempt: current.attempt), .settle(waiters: current.waiters, signedIn: false)]
    case .ended(let attempt, let signedIn):
      guard let current = running, current.attempt == attempt else { return [] }
      running = nil
      return [.settle(waiters: current.waiters, signedIn: signedIn)]
    }
  }
}
