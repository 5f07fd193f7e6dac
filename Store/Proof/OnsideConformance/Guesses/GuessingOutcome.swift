import Foundation
import OnsideStore
import StoreAccounts

/// The result of a ``GuessingAttack``, and the bounds by the limits.
public struct GuessingOutcome: Sendable {
  /// The target of the attack.
  public let aim: GuessingAttack.Aim
  let limits: CodeLimits
  /// Codes that were entered.
  public internal(set) var guesses = 0
  /// Requests for a code.
  public internal(set) var requests = 0
  /// Codes that were sent.
  public internal(set) var codes = 0
  /// Guesses that were compared with a valid code.
  public internal(set) var tries = 0
  /// Guesses that were right.
  public internal(set) var successes = 0
  /// Whether the owner of a number could log in afterwards.
  public internal(set) var ownerLogsIn = false

  /// The largest number of codes that the store sends in a day.
  public var mostCodes: Int { aim == .oneNumber ? min(limits.perNumberDaily, limits.total * 24) : limits.total * 24 }
  /// The largest number of guesses that the store compares with a code in a day.
  public var mostTries: Int { mostCodes * 5 }
  /// The expected number of right guesses: ``mostTries`` divided by the million codes.
  public var expectedSuccesses: Double { Double(mostTries) / 1_000_000 }
  /// The number of right guesses that is exceeded by chance less than once in a billion attacks (Poisson distribution).
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
    \(guesses) guesses at \(aim.rawValue) in 24 hours of simulated time: \
    \(isWithinLimits ? "within the limits" : "TOO MANY")
      codes asked for               \(requests)
      codes sent                    \(codes), at most \(mostCodes)
      compared with a living code   \(tries), at most \(mostTries)
      right                         \(successes), at most \(mostSuccesses) (\(expectedSuccesses) on average)
      the owner can log in          \(ownerLogsIn ? "yes" : "NO")
    """
  }
}
