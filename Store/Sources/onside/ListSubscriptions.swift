import ArgumentParser
import Foundation
import OnsideCommerce
import OnsideStore
import StoreAccounts
import StoreBase
import StoreSales

/// Subscriptions for support: `onside subscription list`.
struct ListSubscriptions: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists subscriptions, those first for which something is due next.",
    discussion: """
      STATE is active, asked (it ends unless its account agrees to a price), pausing (after the period), ending (it will \
      not be renewed), due (the provider has not answered), grace (unpaid, with access), retry (unpaid, without), paused, \
      expired or revoked. UNTIL is when access or a pause ends. PRICE is what is charged next, with the plan where it is \
      another one; a charge that failed is tried again at DUE at the latest.
      """)

  @OptionGroup var options: StoreOptions
  @Option(help: ArgumentHelp("Only those of this account.", valueName: "id")) var account: String?
  @Option(help: "How many, at most.") var limit = 50

  func run() async throws {
    try await options.withStore { core in
      let (limit, account) = (max(1, limit), account?.lowercased())
      let subscriptions = try await core.dependencies.database.read {
        try SubscriptionListing.list(limit, account: account, in: $0)
      }
      SubscriptionListing.show(subscriptions)
    }
  }
}

extension SubscriptionListing {
  /// Prints subscriptions as a table.
  static func show(_ subscriptions: [SubscriptionListing]) {
    var table = Table(["ACCOUNT", "APP", "GROUP", "PRODUCT", "STATE", "UNTIL", "NEXT CHARGE", "PRICE", "DUE"])
    for known in subscriptions {
      table.add([
        known.key.account, known.key.app, known.key.group, known.product, known.state, known.until ?? "-",
        known.nextChargeAt?.ISO8601Format() ?? "-", known.price ?? "-", known.due?.ISO8601Format() ?? "-",
      ])
    }
    table.show(orElse: "There are no such subscriptions.")
  }

  /// When what its state says ends.
  private var until: String? {
    let date = state == "paused" ? pausedUntil : accessUntil
    return date?.ISO8601Format()
  }

  private var price: String? {
    nextPrice.map { price in "\(price)" + (nextProduct.map { " (\($0))" } ?? "") }
  }
}
