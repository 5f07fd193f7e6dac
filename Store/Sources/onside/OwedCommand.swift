import ArgumentParser
import Foundation
import OnsideStore
import StoreSales

/// Failed refunds whose money the store still has.
struct OwedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "owed", abstract: "Lists, repeats and closes failed refunds.",
    discussion: """
      A refund fails when the provider rejects it or the buyer's bank returns it. The store then grants the revoked
      purchase again. Repeating the refund revokes the grant. One refund of at least the same amount, by `onside refund` or
      made at the provider, replaces a failed one.
      """,
    subcommands: [List.self, Repeat.self, Close.self], defaultSubcommand: List.self)

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists failed refunds whose money is owed.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
      try await options.withStore { core in
        var table = Table(["REFUND", "ORDER", "OWED", "ORIGIN", "FAILED", "FAILURE"])
        for owed in try await core.refunds.owed() {
          let refund = owed.refund
          table.add([
            refund.id, refund.orderID.uuidString.lowercased(), "\(owed.amount)",
            refund.isSurplus ? "surplus" : refund.origin.rawValue, refund.endedAt?.ISO8601Format() ?? "-",
            refund.failure ?? "-",
          ])
        }
        table.show(orElse: "No money is owed.")
      }
    }
  }

  struct Repeat: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Repeats a failed refund, once.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The refund's id.") var id: String

    func run() async throws {
      try await options.withStore(CommandAct("owed repeat", of: id)) { core in
        do {
          let refund = try await core.refunds.repeatRefund(id)
          try await core.showOrder(refund.orderID.uuidString)
        } catch let error as RefundError {
          throw CommandFailure("\(error)")
        }
      }
    }
  }

  struct Close: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Closes a failed refund without another one, for example after a bank transfer.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The refund's id.") var id: String

    func run() async throws {
      try await options.withStore(CommandAct("owed close", of: id)) { core in
        do { try await core.refunds.closeRefund(id) } catch let error as RefundError {
          throw CommandFailure("\(error)")
        }
        print("Closed the refund \(id).")
      }
    }
  }
}
