import ArgumentParser
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideStore
import StoreAccounts
import StoreBase
import StoreSales

/// The accounts, for support. Phone numbers and addresses are shown masked.
struct AccountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account", abstract: "Finds and shows accounts, and moves them to another region.",
    subcommands: [List.self, FindAccount.self, Show.self, Region.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the newest accounts.")

    @OptionGroup var options: StoreOptions
    @Option(help: "How many, at most.") var limit = 50

    func run() async throws {
      try await options.withStore { core in
        let limit = max(1, limit)
        let accounts = try await core.dependencies.database.read { try AccountListing.newest(limit, in: $0) }
        AccountCommand.show(accounts)
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows an account, what logs in to it (masked), its subscriptions and its newest orders.")

    @OptionGroup var options: StoreOptions
    @Argument(help: "The account's id.") var id: String

    func run() async throws {
      try await options.withStore { try await $0.showAccount(id) }
    }
  }

  struct Region: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Moves an account to another region; its apps hear of it with their next sync.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The account's id.") var id: String
    @Argument(help: "The country, ISO 3166-1 alpha-2.") var country: String

    func run() async throws {
      guard let country = CountryCode(alpha2: country) else {
        throw CommandFailure("expected an ISO 3166-1 alpha-2 country code such as NL, got \"\(country)\"")
      }
      try await options.withStore(CommandAct("account region", of: id.lowercased(), ["country": country.alpha2])) {
        core in
        let account = try await core.listedAccount(id)
        guard let accountID = AccountID(account.id) else { throw CommandFailure.noAccount(id) }
        _ = try await core.accounts.changeRegion(of: accountID, to: country)
        AccountCommand.show([try await core.listedAccount(id)])
      }
    }
  }

  fileprivate static func show(_ accounts: [AccountListing]) {
    var table = Table(["ACCOUNT", "REGION", "ORDERS", "MADE", "REMOVED"])
    for account in accounts {
      table.add([
        account.id, account.country, "\(account.orders)", account.createdAt.ISO8601Format(),
        account.removedAt?.ISO8601Format() ?? "",
      ])
    }
    table.show(orElse: "There are no accounts.")
  }
}

extension CommandFailure {
  fileprivate static func noAccount(_ id: String) -> CommandFailure {
    CommandFailure("expected the id of an account, got \"\(id)\"; `onside account list` shows the newest")
  }
}

extension StoreCore {
  /// How many subscriptions and how many orders of an account are shown; `onside order list --account ID --limit N`
  /// shows more.
  private static let shownRows = 20

  /// Prints an account with all that support asks for.
  func showAccount(_ id: String) async throws {
    let account = try await listedAccount(id)
    let (logins, subscriptions, orders) = try await dependencies.database.read { connection in
      (
        try AccountListing.maskedLogins(of: account.id, in: connection),
        try SubscriptionListing.list(Self.shownRows, account: account.id, in: connection),
        try OrderListing.newest(Self.shownRows, account: account.id, in: connection)
      )
    }
    AccountCommand.show([account])
    print("\nlogs in with  " + (logins.isEmpty ? "nothing any more" : logins.joined(separator: ", ")) + "\n")
    SubscriptionListing.show(subscriptions)
    print("")
    OrderListing.show(orders)
  }

  fileprivate func listedAccount(_ id: String) async throws -> AccountListing {
    let known = try await dependencies.database.read { try AccountListing.account(id.lowercased(), in: $0) }
    guard let known else { throw CommandFailure.noAccount(id) }
    return known
  }
}
