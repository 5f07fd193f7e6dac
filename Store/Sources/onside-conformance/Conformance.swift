import ArgumentParser

/// The program.
@main
struct Conformance: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "onside-conformance",
    abstract: "Tries the numbered promises of docs/behaviours.md.",
    subcommands: [RunCommand.self, SimulateCommand.self, GuessesCommand.self], defaultSubcommand: RunCommand.self)
}
