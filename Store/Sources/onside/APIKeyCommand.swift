import ArgumentParser
import Foundation
import OnsideAPI
import OnsideStore
import StoreAccounts
import StoreBase
import StoreMerchants

/// The API keys of merchants' servers.
struct APIKeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "api-key", abstract: "Makes, rotates and removes the API keys of merchants' servers.",
    subcommands: [Add.self, List.self, Rotate.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes a key for an app's server; it is shown this once.",
      discussion: """
        read: events, orders and customers. support: refunds, grants, and the end and extension of subscriptions. \
        finance: reports.
        """)

    @OptionGroup var options: ChangeOptions
    @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String
    @Option(help: ArgumentHelp("Scopes with commas: read, support, finance.", valueName: "scopes"))
    var scopes: APIKeyScopeList
    @Option(help: ArgumentHelp("A name for the list of keys, at most 100 characters.", valueName: "name"))
    var name: String?

    func run() async throws {
      let name = name ?? ""
      guard name.count <= 100 else {
        throw CommandFailure("expected a name of at most 100 characters, got \(name.count)")
      }
      try await options.withStore(CommandAct("api-key add", of: app, ["scopes": scopes.scopes.text])) { core in
        let token = try await core.apiKeys.add(app: core.registered(app).id, name: name, scopes: scopes.scopes)
        print("id   \(token.id)\nkey  \(token.text)")
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the keys, without their secrets.",
      discussion: """
        LAST USE is up to a minute late. With OLD SECRET UNTIL a key has two secrets: the previous one is valid until \
        then.
        """)

    @OptionGroup var options: StoreOptions
    @Option(help: ArgumentHelp("Only the keys of an app.", valueName: "id")) var app: String?

    func run() async throws {
      try await options.withStore { core in
        var table = Table(["KEY", "APP", "SCOPES", "MADE", "LAST USE", "OLD SECRET UNTIL", "NAME"])
        let now = core.dependencies.clock.now()
        for key in try await core.apiKeys.all(of: app.map { try core.registered($0).id }) {
          let end = key.olderSecretEnd.flatMap { $0 > now ? $0 : nil }
          table.add([
            key.id, key.app, key.scopes.text, key.createdAt.ISO8601Format(), key.lastUsedAt?.ISO8601Format() ?? "-",
            end?.ISO8601Format() ?? "-", key.name,
          ])
        }
        table.show(orElse: "There is no API key. Make one: onside api-key add --app APP --scopes read")
      }
    }
  }

  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Gives a key a new secret; the previous one is valid for 24 hours more.",
      discussion: "A key has two secrets at most: another rotation within 24 hours ends the older one at once.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The key, as onside api-key list shows it.") var id: String

    func run() async throws {
      try await options.withStore(CommandAct("api-key rotate", of: id)) { core in
        guard let token = try await core.apiKeys.rotate(id) else { throw CommandFailure.unknownAPIKey(id) }
        print("id   \(token.id)\nkey  \(token.text)")
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Removes a key; its requests are rejected at once.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The key, as onside api-key list shows it.") var id: String

    func run() async throws {
      try await options.withStore(CommandAct("api-key remove", of: id)) { core in
        guard try await core.apiKeys.remove(id) else { throw CommandFailure.unknownAPIKey(id) }
        print("\(id) is removed.")
      }
    }
  }
}

extension CommandFailure {
  /// The error of a command for an unknown API key.
  fileprivate static func unknownAPIKey(_ id: String) -> CommandFailure {
    CommandFailure("expected the id of an API key, got \"\(id)\"; `onside api-key list` shows them")
  }
}

/// Scopes with commas, as an option.
struct APIKeyScopeList: ExpressibleByArgument {
  let scopes: Set<APIKeyScope>

  init?(argument: String) {
    let scopes = argument.split(separator: ",", omittingEmptySubsequences: false)
      .map { APIKeyScope(rawValue: String($0)) }
    guard scopes.allSatisfy({ APIKeyScope.all.contains($0) }) else { return nil }
    self.scopes = Set(scopes)
  }
}
