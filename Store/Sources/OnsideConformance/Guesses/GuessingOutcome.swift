import Foundation
import OnsideStore

/// What a ``GuessingAttack`` came to, and what the limits allow.
public struct GuessingOutcome: Sendable {
  /// Whose account was wanted.
  public let aim: GuessingAttack.Aim
  let limits: CodeLimits
  /// Codes that were typed.
  public internal(set) var guesses = 0
  /// Requests for a code.
  public internal(set) var requests = 0
  /// Codes that were sent.
  public internal(set) var codes = 0
  /// Guesses that were compared with a code that was alive.
  public internal(set) var tries = 0
  /// Guesses that were right.
  public internal(set) var successes = 0
  /// Whether the owner of a number could log in afterwards.
  public internal(set) var ownerLogsIn = false

  /// The most codes that a day of requests can bring.
  public var mostCodes: Int { aim == .oneNumber ? min(limits.perNumberDaily, limits.total * 24) : limits.total * 24 }
  /// The most guesses of a day that can be compared with a code.
  public var mostTries: Int { mostCodes * 5 }
  /// How many right guesses so many tries of a million codes come to on average.
  public var expectedSuccesses: Double { Double(mostTries) / 1_000_000 }
  /// Right guesses that chance exceeds less than once in a billion such attacks (Poisson's distribution).
  public var mostSuccesses: Int {
    var (term, sum, count) = (exp(-expectedSuccesses), exp(-expectedSuccesses), 0)
    while 1 - sum > 1e-9 {
      count += 1
      term *= expectedSuccesses / Double(count)
      sum += term
    }
    return count
  }

  /// Whether every number is within its bound.
  public var isWithinLimits: Bool {
    codes <= mostCodes && tries <= mostTries && successes <= mostSuccesses && ownerLogsIn
  }

  /// The numbers, each with its bound beside it.
  public var text: String {
    """
    \(guesses) guesses at \(aim.rawValue) in 24 hours of simulated time: \(isWithinLimits ? "within the limits" : "TOO MANY")
      codes asked for               \(requests)
      codes sent                    \(codes), at most \(mostCodes)
      compared with a living code   \(tries), at most \(mostTries)
      right                         \(successes), at most \(mostSuccesses) (\(expectedSuccesses) on average)
      the owner can log in          \(ownerLogsIn ? "yes" : "NO")
    """
  }
}
