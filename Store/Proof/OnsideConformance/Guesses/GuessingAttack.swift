import Foundation
import Logging
import OnsideStore
import StoreAccounts

/// A brute-force attack on login codes over a day of simulated time. The attacker has any number of browsers and
/// networks, and reads no message. The store's login service answers, on a database of its own.
public struct GuessingAttack: Sendable {
  /// The target of the attack.
  public enum Aim: String, Sendable, CaseIterable {
    /// The account of one number.
    case oneNumber = "one number"
    /// Any account.
    case anyNumber = "any number"
  }

  static let day = 86_400
  /// The number of parallel guesses at one time of the clock.
  private static let volley = 200

  private let aim: Aim
  private let guesses: Int
  private let limits = CodeLimits()

  /// An attack with this number of guesses.
  public init(on aim: Aim, guesses: Int) {
    self.aim = aim
    self.guesses = guesses
  }

  /// Runs the attack. At the end the owner of a number logs in with a sent code, to show that logins still work.
  public func run() async throws -> GuessingOutcome {
    let store = try await AttackedStore(limits: limits)
    var outcome = GuessingOutcome(aim: aim, limits: limits)
    var open: [LoginAttempt] = []
    let steps = max(1, (guesses + Self.volley - 1) / Self.volley)
    // Slightly more requests for codes than the limits grant, but not more codes than there are guesses for.
    let requests = aim == .oneNumber ? 1 : min(limits.total * 24 / steps + 2, Self.volley / 5)
    for step in 0..<steps {
      store.clock.move(to: Double(step) * Double(Self.day) / Double(steps))
      let fresh = try await ask(requests, from: step * requests, at: store)
      outcome.requests += requests
      outcome.codes += fresh.count
      open = (fresh + open).prefix(Self.volley).map { $0 }
      let count = min(Self.volley, guesses - outcome.guesses)
      outcome.successes += try await volley(count, at: open, from: outcome.guesses, at: store)
      outcome.guesses += count
    }
    outcome.tries = try await store.tries()
    outcome.ownerLogsIn = try await store.ownerLogsIn()
    try await store.close()
    return outcome
  }

  /// Requests codes in parallel, and returns the logins for which a code was sent.
  private func ask(_ count: Int, from first: Int, at store: AttackedStore) async throws -> [LoginAttempt] {
    try await withThrowingTaskGroup(of: LoginAttempt?.self) { group in
      for request in first..<first + count {
        group.addTask { try await store.ask(number: aim == .oneNumber ? 0 : request, from: request) }
      }
      return try await group.reduce(into: []) { attempts, attempt in attempt.map { attempts.append($0) } }
    }
  }

  /// Guesses in parallel: five different codes for each login, newest login first. Returns the number of right guesses.
  private func volley(_ count: Int, at attempts: [LoginAttempt], from first: Int, at store: AttackedStore) async throws
    -> Int
  {
    guard !attempts.isEmpty else { return 0 }
    return try await withThrowingTaskGroup(of: Bool.self) { group in
      for guess in 0..<count {
        let code = String(format: "%06d", (first + guess) % 1_000_000)
        let attempt = attempts[guess / 5 % attempts.count]
        group.addTask { try await store.guess(code, for: attempt) }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
  }
}
