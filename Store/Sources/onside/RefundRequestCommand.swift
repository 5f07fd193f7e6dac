import ArgumentParser
import Foundation
import OnsideStore
import StoreSales

/// Buyers' requests for refunds.
struct RefundRequestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refund-request", abstract: "Shows and declines what buyers ask to have refunded.",
    discussion: """
      Buyers ask on their account page, or on a page that an app opens. `onside refund ORDER` grants a request: a refund
      of the whole price does, whoever made it.
      """,
    subcommands: [List.self, Show.self, Decline.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the newest requests.")

    @OptionGroup var options: StoreOptions
    @Option(help: "Only those that are: waiting, granted or declined.") var state: BuyerRefundRequest.State?
    @Option(help: "How many, at most.") var limit = 50

    func run() async throws {
      try await options.withStore { core in
        var table = Table(["ORDER", "STATE", "REASON", "ASKED", "DECIDED"])
        for request in try await core.refundRequests.newest(max(1, limit), state: state) {
          table.add([
            request.orderID.uuidString.lowercased(), request.state.rawValue, request.reason.rawValue,
            request.askedAt.ISO8601Format(), request.decidedAt?.ISO8601Format() ?? "-",
          ])
        }
        table.show(orElse: "There are no such requests.")
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows a request, its order, and what happened with the purchase.")

    @OptionGroup var options: StoreOptions
    @Argument(help: "The order's id.") var id: String

    func run() async throws {
      try await options.withStore { core in
        let order = try await core.orderID(id)
        guard let request = try await core.refundRequests.request(of: order) else { throw CommandFailure.noRequest(id) }
        request.show()
        try await core.showOrder(id)
      }
    }
  }

  struct Decline: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Declines a request: the purchase stays with its buyer, who sees the decision on the page.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The order's id.") var id: String

    func run() async throws {
      try await options.withStore(CommandAct("refund-request decline", of: id.lowercased())) { core in
        let order = try await core.orderID(id)
        do {
          try await core.refundRequests.decline(order)
        } catch BuyerRefundRequestError.noRequest {
          throw CommandFailure.noRequest(id)
        } catch let error as BuyerRefundRequestError {
          throw CommandFailure("\(order.uuidString.lowercased()): \(error)")
        }
        try await core.refundRequests.request(of: order)?.show()
      }
    }
  }
}

extension BuyerRefundRequest {
  /// Prints the request.
  fileprivate func show() {
    print("request       \(state.rawValue)\(decidedAt.map { " \($0.ISO8601Format())" } ?? "")")
    print("asked         \(askedAt.ISO8601Format())")
    print("reason        \(reason.rawValue)")
    guard !note.isEmpty else { return }
    for line in note.split(separator: "\n", omittingEmptySubsequences: false) {
      print("note          \(String(line).printable)")
    }
  }
}

extension StoreCore {
  /// The id of an order that the store has.
  fileprivate func orderID(_ text: String) async throws -> UUID {
    guard let id = UUID(uuidString: try await order(text).id) else { throw CommandFailure.noOrder(text) }
    return id
  }
}

extension CommandFailure {
  fileprivate static func noRequest(_ order: String) -> CommandFailure {
    CommandFailure(
      "expected an order whose buyer has asked for a refund, got \"\(order)\"; `onside refund-request list` shows them")
  }
}
