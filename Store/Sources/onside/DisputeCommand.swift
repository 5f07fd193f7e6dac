import ArgumentParser
import Foundation
import OnsideStore
import StoreBase
import StoreSales

/// Objections of buyers at their banks.
struct DisputeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dispute", abstract: "Shows disputes and early fraud warnings, and puts evidence together.",
    subcommands: [List.self, Show.self, Evidence.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the newest disputes and warnings.")

    @OptionGroup var options: StoreOptions
    @Option(help: "Only those that are: warning, open, won or lost.") var state: Dispute.State?
    @Option(help: "How many, at most.") var limit = 50

    func run() async throws {
      try await options.withStore { core in
        let (limit, state) = (max(1, limit), state)
        let disputes = try await core.dependencies.database.read {
          try Dispute.newest(limit, state: state, in: $0)
        }
        var table = Table(["DISPUTE", "STATE", "AMOUNT", "REASON", "ORDER", "OPENED", "ANSWER BY"])
        for dispute in disputes {
          table.add([
            dispute.id, dispute.stateInWords, "\(dispute.amount)", dispute.reason,
            dispute.orderID.uuidString.lowercased(), dispute.openedAt.ISO8601Format(),
            dispute.answerBy?.ISO8601Format() ?? "-",
          ])
        }
        table.show(orElse: "There are no such disputes.")
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows a dispute, its order, and what happened.")

    @OptionGroup var options: StoreOptions
    @Argument(help: "The dispute's id.") var id: String

    func run() async throws {
      try await options.withStore { core in
        let id = id
        let known = try await core.dependencies.database.read { try Dispute.dispute(id, in: $0) }
        guard let dispute = known else { throw CommandFailure.noDispute(id) }
        print("dispute       \(dispute.id), \(dispute.stateInWords)")
        print("about         \(dispute.amount), \(dispute.reason)")
        if let day = dispute.answerBy { print("answer by     \(day.ISO8601Format())") }
        try await core.showOrder(dispute.orderID.uuidString)
      }
    }
  }

  struct Evidence: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Writes what the store knows of a disputed purchase as a page, to be sent to the bank.")

    @OptionGroup var options: StoreOptions
    @Argument(help: "The dispute's id.") var id: String
    @Option(help: ArgumentHelp("The file to write; without it, standard output.", valueName: "file"))
    var output: String?

    func run() async throws {
      try await options.withStore { core in
        let id = id
        let known = try await core.dependencies.database.read { try DisputeEvidence(of: id, in: $0) }
        guard let evidence = known else { throw CommandFailure.noDispute(id) }
        let configuration = core.dependencies.configuration
        try TextOutput(path: output).write(evidence.html(seller: configuration.seller.name ?? configuration.name))
      }
    }
  }
}

extension Dispute {
  fileprivate var stateInWords: String {
    isWithdrawn ? "\(state.rawValue), money taken" : state.rawValue
  }
}

extension CommandFailure {
  fileprivate static func noDispute(_ id: String) -> CommandFailure {
    CommandFailure("expected the id of a dispute, got \"\(id)\"; `onside dispute list` shows the newest")
  }
}
