import Foundation
import Logging
import OnsideStore

/// Somebody who guesses the codes of logins for a day of simulated time, with any number of browsers and networks, and
/// reads no message. The store's own login service answers, on a database of its own.
public struct GuessingAttack: Sendable {
  /// Whose account is wanted.
  public enum Aim: String, Sendable, CaseIterable {
    /// The account of one number.
    case oneNumber = "one number"
    /// Any account.
    case anyNumber = "any number"
  }

  static let day = 86_400
  /// Guesses at the same moment, in parallel.
  private static let volley = 200

  private let aim: Aim
  private let guesses: Int
  private let limits = CodeLimits()

  /// An attack of so many guesses.
  public init(on aim: Aim, guesses: Int) {
    self.aim = aim
    self.guesses = guesses
  }

  /// Attacks. At the end the owner of a number logs in with the code that was sent: the store still lets people in.
  public func run() async throws -> GuessingOutcome {
    let store = try await AttackedStore(limits: limits)
    var outcome = GuessingOutcome(aim: aim, limits: limits)
    var open: [LoginAttempt] = []
    let steps = max(1, (guesses + Self.volley - 1) / Self.volley)
    // As many requests for codes as the limits may grant, and some more; but no more than can be guessed at.
    let requests = aim == .oneNumber ? 1 : min(limits.total * 24 / steps + 2, Self.volley / 5)
    for step in 0..<steps {
      store.clock.move(to: Double(step) * Double(Self.day) / Double(steps))
      let fresh = try await ask(requests, from: step * requests, store)
      outcome.requests += requests
      outcome.codes += fresh.count
      open = (fresh + open).prefix(Self.volley).map { $0 }
      let count = min(Self.volley, guesses - outcome.guesses)
      outcome.successes += try await volley(count, at: open, from: outcome.guesses, store)
      outcome.guesses += count
    }
    outcome.tries = try await store.tries()
    outcome.ownerLogsIn = try await store.ownerLogsIn()
    await store.close()
    return outcome
  }

  /// Asks for codes in parallel; returns the logins that had one sent.
  private func ask(_ count: Int, from first: Int, _ store: AttackedStore) async throws -> [LoginAttempt] {
    try await withThrowingTaskGroup(of: LoginAttempt?.self) { group in
      for request in first..<first + count {
        group.addTask { try await store.ask(number: aim == .oneNumber ? 0 : request, from: request) }
      }
      return try await group.reduce(into: []) { attempts, attempt in attempt.map { attempts.append($0) } }
    }
  }

  /// Guesses in parallel, the newest codes first and five times each, every time another code of the million.
  private func volley(_ count: Int, at attempts: [LoginAttempt], from first: Int, _ store: AttackedStore) async throws
    -> Int
  {
    guard !attempts.isEmpty else { return 0 }
    return try await withThrowingTaskGroup(of: Bool.self) { group in
      for guess in 0..<count {
        let code = String(format: "%06d", (first + guess) % 1_000_000)
        let attempt = attempts[guess / 5 % attempts.count]
        group.addTask { try await store.guess(code, attempt) }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
  }
}
