import ArgumentParser
import Foundation
import OnsideStore
import StoreBase
import StoreSales

/// Pays apps what the store owes them.
struct PayoutCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "payout", abstract: "Pays apps their balances.",
    subcommands: [Make.self, List.self, Sent.self, Settled.self, Failed.self])

  struct Make: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes a payout of each balance above zero.",
      discussion: """
        A payout has what was booked for orders that are older than --hold: sales less tax, commission and refunds, less
        earlier payouts. The money is taken from the app's balance at once, so that a second call pays nothing twice.
        """)

    @OptionGroup var options: ChangeOptions
    @Option(help: ArgumentHelp("Only of this app.", valueName: "id")) var app: String?
    @Option(help: ArgumentHelp("How old a sale has to be, such as 14d or 0d.", valueName: "time")) var hold = "14d"

    func run() async throws {
      guard let seconds = hold.seconds else {
        throw CommandFailure("--hold: expected a number and s, m, h, d or w, such as 14d, got \"\(hold)\"")
      }
      try await options.withStore(CommandAct("payout make", of: app, ["hold": hold])) { core in
        let time = core.dependencies.clock.now().addingTimeInterval(-seconds)
        show(try await core.payouts.make(app: app, soldBefore: time), orElse: "There is nothing to pay out.")
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the newest payouts.")

    @OptionGroup var options: StoreOptions
    @Option(help: ArgumentHelp("Only those of this app.", valueName: "id")) var app: String?
    @Option(help: "How many, at most.") var limit = 50

    func run() async throws {
      try await options.withStore { core in
        show(try await core.payouts.newest(max(1, limit), app: app), orElse: "There are no payouts.")
      }
    }
  }

  struct Sent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Marks a payout as sent to the bank.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The payout's id.") var id: String
    @Option(help: ArgumentHelp("What the bank calls it.", valueName: "text")) var reference: String?

    func run() async throws {
      try await options.withStore(CommandAct("payout sent", of: id.lowercased(), ["reference": reference])) { core in
        show([try await core.payouts.markSent(id.lowercased(), reference: reference)], orElse: "")
      }
    }
  }

  struct Settled: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Marks a payout as settled: the money has left the bank account.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The payout's id.") var id: String

    func run() async throws {
      try await options.withStore(CommandAct("payout settled", of: id.lowercased())) { core in
        show([try await core.payouts.markSettled(id.lowercased())], orElse: "")
      }
    }
  }
}

extension PayoutCommand {
  struct Failed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Marks a payout as failed or returned: the app's balance has the money again.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The payout's id.") var id: String

    func run() async throws {
      try await options.withStore(CommandAct("payout failed", of: id.lowercased())) { core in
        show([try await core.payouts.markFailed(id.lowercased())], orElse: "")
      }
    }
  }
}

private func show(_ payouts: [Payout], orElse nothing: String) {
  var table = Table(["PAYOUT", "STATE", "APP", "AMOUNT", "MADE", "REFERENCE"])
  for payout in payouts {
    table.add([
      payout.id, payout.state.rawValue, payout.app, "\(payout.amount)", payout.madeAt.ISO8601Format(),
      payout.reference ?? "",
    ])
  }
  table.show(orElse: nothing)
}
