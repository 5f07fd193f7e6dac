import ArgumentParser
import Foundation
import OnsideStore

/// The keys that sign histories and receipts.
struct KeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Shows and rotates the keys that sign histories and receipts.",
    subcommands: [List.self, Rotate.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the keys; private parts are never shown.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
      try await options.withStore { core in
        var table = Table(["KEY", "STATE", "MADE"])
        for key in core.signingKeys.all { table.add([key.id, key.state.rawValue, key.createdAt.ISO8601Format()]) }
        table.show(orElse: "There is no key.")
      }
    }
  }

  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lets the next key sign, and publishes the one after it.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
      try await options.withStore { core in
        try await core.signingKeys.rotate()
        let active = core.signingKeys.all.first { $0.state == .active }
        print("\(active?.id ?? "-") signs from now on.")
      }
    }
  }
}
