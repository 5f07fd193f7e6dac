import ArgumentParser
import Foundation
import OnsideStore
import StoreAccounts
import StoreMerchants

/// The merchant ids of apps, and the secrets that sign the JWTs of their servers.
struct MerchantCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merchant", abstract: "Makes and removes the secrets for JWTs of merchants' servers.",
    discussion: """
      A merchant's server requests the history of an order with a JWT (HS256): kid is the key id, sub the merchant id, \
      and the key the text of the secret. docs/verify-purchases.md has an example.
      """,
    subcommands: [Add.self, List.self, Rotate.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes the merchant id of an app and its first secret, which is shown this once.")

    @OptionGroup var options: ChangeOptions
    @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String

    func run() async throws {
      try await options.withStore(CommandAct("merchant add", of: app)) { core in
        guard let made = try await core.merchantSecrets.add(app: core.registered(app).id) else {
          throw CommandFailure("\(app) has a merchant id; `onside merchant rotate --app \(app)` makes a new secret")
        }
        made.show()
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the merchant ids and key ids, without secrets.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
      try await options.withStore { core in
        var table = Table(["APP", "MERCHANT ID", "KEY ID", "MADE", "LAST USED", "VALID UNTIL"])
        for entry in try await core.merchantSecrets.all() {
          table.add([
            entry.app, entry.merchant, entry.id, entry.createdAt.ISO8601Format(),
            entry.lastUsedAt?.ISO8601Format() ?? "-", entry.validUntil?.ISO8601Format() ?? "-",
          ])
        }
        table.show(orElse: "No app has a merchant id. Make one: onside merchant add --app APP")
      }
    }
  }

  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes a new secret of an app, which is shown this once.",
      discussion: """
        The previous secret is valid for 24 hours more, and the one before it no longer. With --now the previous one \
        ends at once: after it was leaked.
        """)

    @OptionGroup var options: ChangeOptions
    @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String
    @Flag(help: "End the previous secret at once.") var now = false

    func run() async throws {
      try await options.withStore(CommandAct("merchant rotate", of: app, ["now": now ? "true" : nil])) { core in
        guard let made = try await core.merchantSecrets.rotate(app: app, isImmediate: now) else {
          throw CommandFailure.noMerchant(app)
        }
        made.show()
        let end = made.entry.createdAt + MerchantSecretService.overlap
        print("The previous secret \(now ? "has ended" : "is valid until \(end.ISO8601Format())").")
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Removes the merchant id of an app and its secrets, at once.")

    @OptionGroup var options: ChangeOptions
    @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String

    func run() async throws {
      try await options.withStore(CommandAct("merchant remove", of: app)) { core in
        guard try await core.merchantSecrets.remove(app: app) else { throw CommandFailure.noMerchant(app) }
        print("The merchant id of \(app) and its secrets are removed.")
      }
    }
  }
}

extension NewMerchantSecret {
  /// Prints the secret, which no other command shows.
  fileprivate func show() {
    print("merchant id  \(entry.merchant)\nkey id       \(entry.id)\nsecret       \(secret.text)")
  }
}

extension CommandFailure {
  fileprivate static func noMerchant(_ app: String) -> CommandFailure {
    CommandFailure("expected an app with a merchant id, got \"\(app)\"; `onside merchant list` shows them")
  }
}
