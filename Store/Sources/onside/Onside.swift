import ArgumentParser

/// The store and the tools around its database.
@main
struct Onside: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "onside",
    abstract: "A store for what apps sell.",
    discussion: """
      `onside serve` starts a sandbox store in the current folder. The other commands work on its database file, also
      while it serves; the store notices within a second.
      """,
    subcommands: [
      Serve.self, Dev.self, Types.self, Import.self, AppCommand.self, KeyCommand.self, ClockCommand.self,
      OrderCommand.self, AccountCommand.self, CredentialCommand.self, FunnelCommand.self, Doctor.self,
      WalletCommand.self,
    ])
}
