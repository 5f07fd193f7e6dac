import ArgumentParser
import Foundation
import OnsideStore
import StoreSales

/// Receipts without a confirmed delivery.
struct ReceiptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receipt", abstract: "Lists receipts without a confirmed delivery, and mails receipts again.",
    subcommands: [List.self, Send.self], defaultSubcommand: List.self)

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists receipts without a confirmed delivery.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
      try await options.withStore { core in
        var table = Table(["RECEIPT", "ORDER", "FAILED", "REASON"])
        for receipt in try await core.receipts.undelivered() {
          table.add([
            receipt.number, receipt.orderID.uuidString.lowercased(), receipt.failedAt.ISO8601Format(), receipt.reason,
          ])
        }
        table.show(orElse: "Each receipt was delivered.")
      }
    }
  }

  struct Send: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Mails receipts again.",
      discussion:
        "The running store mails them at once. A mail without an answer may have arrived: the buyer may get it twice.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "Ids of orders.") var orders: [String] = []
    @Flag(help: "All receipts without a confirmed delivery.") var undelivered = false

    func validate() throws {
      guard undelivered == orders.isEmpty else {
        throw ValidationError("expected ids of orders or --undelivered")
      }
    }

    func run() async throws {
      let chosen = undelivered ? "undelivered" : orders.joined(separator: " ").lowercased()
      try await options.withStore(CommandAct("receipt send", of: nil, ["orders": chosen])) { core in
        let receipts = core.receipts
        let ids = undelivered ? try await receipts.undelivered().map(\.orderID) : try orders.map(Self.id)
        var failures: [String] = []
        for id in ids {
          do { try await receipts.send(id) } catch let error as ReceiptError { failures.append(error.description) }
        }
        print("Receipts to be mailed: \(ids.count - failures.count)")
        if !failures.isEmpty { throw CommandFailure(failures.joined(separator: "\n")) }
      }
    }

    private static func id(_ text: String) throws -> UUID {
      guard let id = UUID(uuidString: text) else { throw CommandFailure("expected an order's id, got \(text)") }
      return id
    }
  }
}
