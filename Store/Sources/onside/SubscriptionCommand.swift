import ArgumentParser
import Foundation
import OnsideStore

/// Subscriptions, for support and for testers.
struct SubscriptionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscription", abstract: "Shows subscriptions, and lets a sandbox's renew at once.",
    subcommands: [List.self, ShowSubscription.self, RepriceCommand.self, Advance.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists subscriptions, those first for which something is due next.")

    @OptionGroup var options: StoreOptions
    @Option(help: ArgumentHelp("Only those of this account.", valueName: "id")) var account: String?
    @Option(help: "How many, at most.") var limit = 50

    func run() async throws {
      try await options.withStore { core in
        let (limit, account) = (max(1, limit), account?.lowercased())
        let subscriptions = try await core.dependencies.database.read {
          try SubscriptionListing.list(limit, account: account, in: $0)
        }
        var table = Table(["ACCOUNT", "APP", "GROUP", "PRODUCT", "NEXT", "STATE", "PAID UNTIL", "PAUSED UNTIL", "DUE"])
        for subscription in subscriptions {
          table.add([
            subscription.key.account, subscription.key.app, subscription.key.group, subscription.product,
            subscription.nextProduct ?? "-", subscription.state, subscription.paidUntil?.ISO8601Format() ?? "-",
            subscription.pausedUntil?.ISO8601Format() ?? "-", subscription.due?.ISO8601Format() ?? "-",
          ])
        }
        table.show(orElse: "There are no such subscriptions.")
      }
    }
  }

  struct Advance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Does now what a subscription waits for next: its renewal, another try, its end. Sandbox only.",
      discussion: "The store's clock stays: what is paid early begins when the period before it ends.")

    @OptionGroup var options: StoreOptions
    @Argument(help: "The account's id.") var account: String
    @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String
    @Option(help: ArgumentHelp("The subscription group.", valueName: "id")) var group: String

    func run() async throws {
      try await options.withStore { core in
        guard core.dependencies.configuration.environment == .sandbox else {
          throw CommandFailure("expected a sandbox: in production, subscriptions renew in their time")
        }
        let key = SubscriptionKey(account: account.lowercased(), app: app, group: group)
        guard try await core.subscriptions.runNextEvent(of: key) else {
          throw CommandFailure(
            "expected a subscription that waits for something; `onside subscription list` shows them")
        }
        try await core.deliverOutbox()
        print("Done; `onside subscription list --account \(account.lowercased())` shows what came of it.")
      }
    }
  }
}
