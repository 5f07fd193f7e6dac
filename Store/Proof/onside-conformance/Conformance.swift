import ArgumentParser
import Foundation

/// The program. Four cases run at a time, unless the environment says another number: with more cases than processors
/// each one waits, and servers of PostgreSQL run out of connections.
@main
struct Conformance: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "onside-conformance",
    abstract: "Tries the numbered promises of docs/behaviours.md.",
    subcommands: [RunCommand.self, SimulateCommand.self, GuessesCommand.self], defaultSubcommand: RunCommand.self)

  static func main() async {
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "4", 0)
    await main(nil)
  }
}
