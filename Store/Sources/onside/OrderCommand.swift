import ArgumentParser
import Foundation
import OnsideCommerce
import OnsideStore
import StoreBase
import StoreSales

/// The orders, for support.
struct OrderCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "order", abstract: "Shows orders and refunds them.",
    subcommands: [List.self, Show.self, RefundCommand.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the newest orders.")

    @OptionGroup var options: StoreOptions
    @Option(help: ArgumentHelp("Only those of this app.", valueName: "id")) var app: String?
    @Option(help: ArgumentHelp("Only those of this account.", valueName: "id")) var account: String?
    @Option(help: "How many, at most.") var limit = 50

    func run() async throws {
      try await options.withStore { core in
        let (limit, app, account) = (max(1, limit), app, account)
        let orders = try await core.dependencies.database.read {
          try OrderListing.newest(limit, app: app, account: account, in: $0)
        }
        OrderListing.show(orders)
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows an order.")

    @OptionGroup var options: StoreOptions
    @Argument(help: "The order's id.") var id: String

    func run() async throws {
      try await options.withStore { try await $0.showOrder(id) }
    }
  }
}

extension CommandFailure {
  static func noOrder(_ id: String) -> CommandFailure {
    CommandFailure("expected the id of an order, got \"\(id)\"; `onside order list` shows the newest")
  }
}

extension StoreCore {
  func order(_ id: String) async throws -> OrderListing {
    let known = try await dependencies.database.read { try OrderListing.order(id.lowercased(), in: $0) }
    guard let known else { throw CommandFailure.noOrder(id) }
    return known
  }
}

extension OrderTax {
  /// Prints how an order was taxed.
  func show(price: Money) {
    let rate = basisPoints.map { "\(amount(in: price)) of \(country) (\(TaxRate.percent($0)))" }
    print("tax           " + (rate ?? "none: no rate of \(country) was known"))
    let pieces = [
      evidence.number.map { "number \($0)" }, evidence.card.map { "card \($0)" },
      evidence.network.map { "network \($0)" },
    ].compactMap(\.self)
    let known = pieces.isEmpty ? "none" : pieces.joined(separator: ", ")
    print("evidence      " + known + (evidence.isWeak(for: country) ? " (fewer than two agree)" : ""))
  }
}

extension OrderListing {
  /// Where the order stands.
  var stateInWords: String {
    if revokedAt != nil { return "revoked" }
    if duplicateOf != nil { return "owned already" }
    return finishedAt == nil ? state : "finished"
  }

  /// What was ordered, with the number of units where it is not one.
  var productInWords: String { quantity == 1 ? product : "\(quantity) × \(product)" }

  /// Prints orders as a table.
  static func show(_ orders: [OrderListing]) {
    var table = Table(["ORDER", "STATE", "PRODUCT", "PRICE", "REGION", "MADE"])
    for order in orders {
      table.add([
        order.id, order.stateInWords, order.productInWords, "\(order.price)", order.country,
        order.createdAt.ISO8601Format(),
      ])
    }
    table.show(orElse: "There are no such orders.")
  }

  /// Prints the order, and its refunds.
  func show(_ refunds: [Refund]) {
    let facts: [(String, String?)] = [
      ("order", id), ("state", stateInWords), ("app", app), ("account", account), ("product", productInWords),
      ("price", "\(price)"), ("region", country), ("made", createdAt.ISO8601Format()),
      ("reason", reason.rawValue), ("paid", paidAt?.ISO8601Format()), ("until", expiresAt?.ISO8601Format()),
      ("finished", finishedAt?.ISO8601Format()),
      ("revoked", revokedAt.map { "\($0.ISO8601Format()) \(revocationReason ?? "")" }), ("duplicate of", duplicateOf),
    ]
    for case (let name, let value?) in facts + refunds.map(\.fact) {
      print(name + String(repeating: " ", count: 14 - name.count) + value)
    }
  }
}
