import ArgumentParser
import Foundation
import OnsideStore
import StoreAccounts
import StoreBase
import StoreSales

/// Subscriptions, for support and for testers.
struct SubscriptionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscription",
    abstract: "Shows, stops and extends subscriptions, and lets a sandbox's renew at once.",
    subcommands: [
      ListSubscriptions.self, ShowSubscription.self, StopSubscription.self, ExtendSubscription.self,
      RepriceCommand.self, Advance.self,
    ])

  struct Advance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Does now what a subscription waits for next: its renewal, another try, its end. Sandbox only.",
      discussion: "The store's clock stays: what is paid early begins when the period before it ends.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The account's id.") var account: String
    @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String
    @Option(help: ArgumentHelp("The subscription group.", valueName: "id")) var group: String

    func run() async throws {
      try await options.withStore(
        CommandAct("subscription advance", of: account.lowercased(), ["app": app, "group": group])
      ) { core in
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
