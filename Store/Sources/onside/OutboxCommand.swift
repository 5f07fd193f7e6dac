import ArgumentParser
import Foundation
import OnsideStore
import StoreBase
import StoreSales

/// What waits to leave the store.
struct OutboxCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outbox", abstract: "Shows what waits to be delivered, and tries it again.",
    discussion: "A delivery that fails is tried until its receiver accepts it.",
    subcommands: [List.self, Retry.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists deliveries that wait, failing ones first.")

    @OptionGroup var options: StoreOptions
    @Option(help: "How many, at most.") var limit = 50

    func run() async throws {
      try await options.withStore { core in
        let limit = max(1, limit)
        let rows = try await core.dependencies.database.read { try OutboxRecords().all(limit: limit, in: $0) }
        var table = Table(["ID", "KIND", "ORDER", "STATE", "TRIES", "NEXT TRY", "FAILING SINCE", "ERROR"])
        for row in rows {
          table.add([
            "\(row.id)", row.kind, row.order ?? "-", row.stateInWords, "\(row.attempts)",
            row.dueAt.ISO8601Format(), row.failingSince?.ISO8601Format() ?? "-", row.error ?? "-",
          ])
        }
        table.show(orElse: "Nothing waits to be delivered.")
      }
    }
  }

  struct Retry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes deliveries due at once.",
      discussion: "The serving store delivers them within a second.")

    @OptionGroup var options: ChangeOptions
    @Flag(help: "All that fail.") var all = false
    @Argument(help: "The numbers that `onside outbox list` shows.") var ids: [Int64] = []

    func validate() throws {
      guard all == ids.isEmpty else { throw ValidationError("expected the numbers of deliveries, or --all") }
    }

    func run() async throws {
      let chosen = all ? "all" : ids.map(String.init).joined(separator: " ")
      try await options.withStore(CommandAct("outbox retry", of: nil, ["deliveries": chosen])) { core in
        let now = core.dependencies.clock.now()
        let (all, ids, records) = (all, ids, OutboxRecords())
        let count = try await core.dependencies.database.write(at: now) { transaction in
          if all { return try records.retryFailing(in: transaction) }
          for id in ids where try !records.retry(id, in: transaction) { throw CommandFailure.noDelivery(id) }
          return ids.count
        }
        print("\(count) \(count == 1 ? "delivery is" : "deliveries are") due now.")
      }
    }
  }
}

extension OutboxListing {
  fileprivate var stateInWords: String { failingSince == nil ? "waiting" : "failing" }
}

extension CommandFailure {
  fileprivate static func noDelivery(_ id: Int64) -> CommandFailure {
    CommandFailure(
      "expected the number of a delivery, got \(id); `onside outbox list` shows them. Nothing was changed.")
  }
}
