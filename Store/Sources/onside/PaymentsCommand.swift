import ArgumentParser
import Foundation
import OnsideStore
import StoreBase
import StoreSales

/// Payments as the providers have them.
struct PaymentsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "payments", abstract: "Compares payments with the payment providers.", subcommands: [Reconcile.self])

  struct Reconcile: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Compares every payment, refund and dispute with the provider's list, and says each difference.",
      discussion: """
        Exit status 1 when there is a difference. What is younger than ten minutes is left out: it may be under way. The \
        store may be serving meanwhile; nothing is changed.
        """)

    @OptionGroup var options: StoreOptions
    @Option(help: "How many days back, 1 to 365.") var days = 7

    func run() async throws {
      guard (1...365).contains(days) else { throw CommandFailure("--days: expected 1 to 365, got \(days)") }
      let differences = try await options.withStore { core in
        let reconciler = core.paymentReconciler
        guard !reconciler.names.isEmpty else {
          throw CommandFailure(
            "expected a payment provider that lists what it has; the sandbox is checked by onside doctor")
        }
        return try await reconciler.differences(since: core.dependencies.clock.now() - Double(days) * 86_400)
      }
      differences.forEach { print($0) }
      guard differences.isEmpty else { throw ExitCode.failure }
      print("No differences in \(days) \(days == 1 ? "day" : "days").")
    }
  }
}
