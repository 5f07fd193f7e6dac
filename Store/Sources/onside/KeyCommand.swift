import ArgumentParser
import Foundation
import OnsideStore
import StoreSales

/// The keys that sign histories and receipts.
struct KeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Shows, rotates and withdraws the keys that sign histories and receipts.",
    subcommands: [List.self, Rotate.self, Withdraw.self])

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

    @OptionGroup var options: ChangeOptions

    func run() async throws {
      try await options.withStore(CommandAct("key rotate")) { core in
        try await core.signingKeys.rotate()
        let active = core.signingKeys.all.first { $0.state == .active }
        print("\(active?.id ?? "-") signs from now on.")
      }
    }
  }

  struct Withdraw: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Deletes a key that was leaked, so that verifiers reject what it signed.",
      discussion: """
        The key leaves the published set at once and never signs again. The store signs its receipts again when they \
        are read; copies that others have kept are rejected. In place of a next key there is a new one. A key that \
        signs is replaced by the next key, once that has been published for ten minutes.
        """)

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The key, as onside key list shows it.") var id: String

    func run() async throws {
      try await options.withStore(CommandAct("key withdraw", of: id)) { core in
        try await core.signingKeys.withdraw(id)
        let active = core.signingKeys.all.first { $0.state == .active }
        print("\(id) is withdrawn. \(active?.id ?? "-") signs.")
      }
    }
  }
}
