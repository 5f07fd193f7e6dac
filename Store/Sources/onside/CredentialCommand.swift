import ArgumentParser
import Foundation
import OnsideStore
import StoreAccounts

/// The credentials with which merchants' servers report events.
struct CredentialCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "credential", abstract: "Makes and removes the credentials of merchants' servers.",
    subcommands: [Add.self, List.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes a credential for an app's server; the password is shown this once.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The app's identifier.") var app: String

    func run() async throws {
      try await options.withStore(CommandAct("credential add", of: app)) { core in
        let credential = try await ServerCredentials(core.dependencies.base).add(app: core.registered(app).id)
        print("user      \(credential.id)\npassword  \(credential.secret)")
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the credentials, without their passwords.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
      try await options.withStore { core in
        var table = Table(["USER", "APP", "MADE"])
        for entry in try await ServerCredentials(core.dependencies.base).all() {
          table.add([entry.id, entry.appID, entry.createdAt.ISO8601Format()])
        }
        table.show(orElse: "There is no credential. Make one: onside credential add APP")
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Takes a credential away, at once.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The user name; after -- if it begins with a hyphen.") var user: String

    func run() async throws {
      try await options.withStore(CommandAct("credential remove", of: user)) { core in
        guard try await ServerCredentials(core.dependencies.base).remove(user) else {
          throw CommandFailure(
            "expected the user name of a credential, got \"\(user)\"; `onside credential list` shows them")
        }
        print("\(user) no longer counts.")
      }
    }
  }
}
