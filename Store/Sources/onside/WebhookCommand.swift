import ArgumentParser
import Foundation
import OnsideAPI
import OnsideStore
import StoreAccounts
import StoreBase
import StoreMerchants

/// The endpoints of webhooks.
struct WebhookCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhook", abstract: "Adds, changes and removes addresses that get the events of an app.",
    discussion: """
      Requests follow Standard Webhooks 1.0.0. Failed ones are repeated for three days; after five days of failures \
      only, and after status 410, the endpoint is disabled. Nothing is lost: onside webhook enable continues.
      """,
    subcommands: [
      Add.self, List.self, Rotate.self, Enable.self, Disable.self, Remove.self, Attempts.self, Resend.self,
      WebhookTest.self,
    ])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Adds an endpoint to an app. It gets the events from now on; its secret is shown this once.")

    @OptionGroup var options: ChangeOptions
    @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String
    @Argument(help: "The address, with https; a sandbox permits http.") var url: String
    @Option(help: ArgumentHelp("Only events of these types, with commas.", valueName: "types"))
    var types: String?
    @Flag(help: "Permit an address in a private network or of this machine, also with http.") var allowPrivate = false

    func validate() throws { _ = try EventTypeArgument.types("--types", types) }

    func run() async throws {
      let types = Set(try EventTypeArgument.types("--types", types).map(\.rawValue))
      let act = CommandAct(
        "webhook add", of: app,
        [
          "url": Self.origin(of: url), "types": types.isEmpty ? nil : types.sorted().joined(separator: ","),
          "allow-private": allowPrivate ? "true" : nil,
        ])
      try await options.withStore(act) { core in
        let app = try core.registered(app).id
        do {
          let made = try await core.webhooks.add(app: app, url: url, types: types, allowsPrivate: allowPrivate)
          print("id      \(made.endpoint.id)\nsecret  \(made.secret.text)")
        } catch let error as WebhookAddressError {
          throw CommandFailure("the address of the endpoint: \(error)")
        }
      }
    }

    /// The scheme and the host of an address, for the audit: the rest may have a token of the receiver.
    private static func origin(of url: String) -> String? {
      guard let parts = URLComponents(string: url), let scheme = parts.scheme, let host = parts.encodedHost else {
        return nil
      }
      return "\(scheme)://\(host)"
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the endpoints, without their secrets.",
      discussion: """
        STATE: ok, failing since a time, or disabled with the reason: operator (onside webhook disable), gone (status \
        410), failures (five days of failures only). RETRIES: failed deliveries with another retry. EXHAUSTED: those \
        without one; onside webhook resend ID --failed sends them again.
        """)

    @OptionGroup var options: StoreOptions
    @Option(help: ArgumentHelp("Only the endpoints of an app.", valueName: "id")) var app: String?

    func run() async throws {
      try await options.withStore { core in
        var table = Table(["ENDPOINT", "APP", "STATE", "RETRIES", "EXHAUSTED", "TYPES", "URL"])
        for state in try await core.webhooks.all(of: app.map { try core.registered($0).id }) {
          let endpoint = state.endpoint
          table.add([
            endpoint.id, endpoint.app, endpoint.stateText, "\(state.waiting)", "\(state.exhausted)",
            endpoint.types.isEmpty ? "all" : endpoint.types.sorted().joined(separator: ","), endpoint.url,
          ])
        }
        table.show(orElse: "There is no endpoint. Add one: onside webhook add --app APP URL")
      }
    }
  }

  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Gives an endpoint a new secret; for 24 hours more, requests are signed with both.",
      discussion: "Another rotation within 24 hours ends the oldest secret at once.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The endpoint, as onside webhook list shows it.") var id: String
    @Flag(help: "End the previous secret now, after a leak.") var now = false

    func run() async throws {
      try await options.withStore(CommandAct("webhook rotate", of: id, ["now": now ? "true" : nil])) { core in
        guard let secret = try await core.webhooks.rotate(id, isImmediate: now) else {
          throw CommandFailure.unknownEndpoint(id)
        }
        print("secret  \(secret.text)")
      }
    }
  }

  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Enables an endpoint: it gets the events since it was disabled, and its failed deliveries again.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The endpoint, as onside webhook list shows it.") var id: String

    func run() async throws {
      try await options.withStore(CommandAct("webhook enable", of: id)) { core in
        guard let count = try await core.webhooks.enable(id) else { throw CommandFailure.unknownEndpoint(id) }
        print("\(id) is enabled. Failed deliveries that are sent again: \(count)")
      }
    }
  }

  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sends an endpoint no events until it is enabled. Events are readable for 180 days.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The endpoint, as onside webhook list shows it.") var id: String

    func run() async throws {
      try await options.withStore(CommandAct("webhook disable", of: id)) { core in
        guard try await core.webhooks.disable(id) else { throw CommandFailure.unknownEndpoint(id) }
        print("\(id) is disabled.")
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Removes an endpoint with its failed deliveries and its attempts.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The endpoint, as onside webhook list shows it.") var id: String

    func run() async throws {
      try await options.withStore(CommandAct("webhook remove", of: id)) { core in
        guard try await core.webhooks.remove(id) else { throw CommandFailure.unknownEndpoint(id) }
        print("\(id) is removed.")
      }
    }
  }
}

extension CommandFailure {
  /// The error of a command for an unknown endpoint.
  static func unknownEndpoint(_ id: String) -> CommandFailure {
    CommandFailure("expected the id of an endpoint, got \"\(id)\"; `onside webhook list` shows them")
  }
}

extension WebhookEndpoint {
  fileprivate var stateText: String {
    if let disabledAt {
      return "DISABLED (\(disabledReason?.rawValue ?? "unknown")) since \(disabledAt.ISO8601Format())"
    }
    return failingSince.map { "FAILING since \($0.ISO8601Format())" } ?? "ok"
  }
}
