import ArgumentParser
import Foundation
import OnsideStore
import StoreAccounts
import StoreBase

/// The secret from which the store derives the keys of tokens, codes, forms and pages.
struct SecretCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "secret", abstract: "Rotates the secret of tokens, codes, forms and pages.",
    subcommands: [Rotate.self])

  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes a new secret.",
      discussion: """
        The new secret is used after a minute, and the previous one is accepted for a day after that, so that nobody \
        is logged out. With --leaked the previous secrets are rejected at once, all sessions end, everybody logs in \
        again, and the secrets of merchants are deleted: after a copy of the database was lost. Serving processes \
        follow within two seconds.
        """)

    @OptionGroup var options: ChangeOptions
    @Flag(help: "Reject all previous secrets at once, and end all sessions.") var leaked = false

    func run() async throws {
      try await options.withStore(CommandAct("secret rotate", of: nil, ["leaked": leaked ? "yes" : nil])) { core in
        guard leaked else {
          let start = try await core.secrets.rotate()
          let end = start + StoreSecrets.overlap
          print(
            """
            The new secret is used from \(start.ISO8601Format()) on; the previous one is accepted until \
            \(end.ISO8601Format()).
            """)
          return
        }
        // Sessions and codes from before the leak are told by their time.
        let dependencies = core.dependencies
        try await ClockDifference.check(dependencies.database, clock: SystemClock(), logger: dependencies.logger)
        try await core.secrets.replaceLeaked()
        print(
          """
          The previous secrets are rejected, by serving processes within two seconds.
          All sessions have ended: everybody logs in again.
          The secrets of merchants are deleted: onside merchant add makes new ones.
          """)
      }
    }
  }
}
