import ArgumentParser
import Foundation
import OnsideStore

/// Receipts that the mail server rejected.
struct ReceiptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receipt", abstract: "Lists receipts that the mail server rejected, and mails receipts again.",
    subcommands: [List.self, Send.self], defaultSubcommand: List.self)

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists receipts that the mail server rejected.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
      try await options.withStore { core in
        var table = Table(["RECEIPT", "ORDER", "REJECTED", "REASON"])
        for receipt in try await ReceiptService(core: core).rejected() {
          table.add([
            receipt.number, receipt.orderID.uuidString.lowercased(), receipt.rejectedAt.ISO8601Format(), receipt.reason,
          ])
        }
        table.show(orElse: "No receipt was rejected.")
      }
    }
  }

  struct Send: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Mails receipts again.",
      discussion: "The running store mails them at once. A receipt that is rejected again is listed again.")

    @OptionGroup var options: StoreOptions
    @Argument(help: "Ids of orders.") var orders: [String] = []
    @Flag(help: "All receipts that the mail server rejected.") var rejected = false

    func validate() throws {
      guard rejected == orders.isEmpty else {
        throw ValidationError("expected ids of orders or --rejected")
      }
    }

    func run() async throws {
      try await options.withStore { core in
        let receipts = ReceiptService(core: core)
        let ids = rejected ? try await receipts.rejected().map(\.orderID) : try orders.map(Self.id)
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
