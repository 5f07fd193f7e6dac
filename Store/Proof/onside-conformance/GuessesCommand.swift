import ArgumentParser
import OnsideConformance

/// Guesses codes of logins.
struct GuessesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "guesses",
    abstract: "Guess codes of logins on a simulated clock; exit 1 when more than the limits allow are right.",
    discussion: """
      Half of the guesses are for the account of one number, half for any account, from as many browsers and networks as
      it takes, in 24 hours of simulated time each. The store's own login service answers, with its limits as they are
      without a configuration.
      """)

  @Option(help: "How many guesses in all.")
  var guesses = 1_000_000

  func validate() throws {
    guard guesses >= 2 else { throw ValidationError("--guesses has to be at least 2.") }
  }

  func run() async throws {
    var outcomes: [GuessingOutcome] = []
    for aim in GuessingAttack.Aim.allCases {
      let outcome = try await GuessingAttack(
        on: aim, guesses: aim == .oneNumber ? guesses - guesses / 2 : guesses / 2
      ).run()
      print(outcome.text)
      outcomes.append(outcome)
    }
    let (right, most) = outcomes.reduce((0, 0)) { ($0.0 + $1.successes, $0.1 + $1.mostSuccesses) }
    print("\(guesses) guesses: \(right) right, at most \(most)")
    guard outcomes.allSatisfy(\.isWithinLimits) else { throw ExitCode.failure }
  }
}
