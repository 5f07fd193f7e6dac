import ArgumentParser
import Foundation
import OnsideStore
import StoreAccounts
import StoreSales

/// The keys with which an app's server signs promotional offers.
struct OfferKeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "offer-key", abstract: "The public keys of an app's server for promotional offers.",
    discussion: """
      A key: openssl ecparam -name prime256v1 -genkey -noout -out offers.pem, and its public half: openssl ec -in
      offers.pem -pubout -out offers.pub.pem. The store needs the public half only.
      """, subcommands: [Add.self, List.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Adds a public key of P-256 in PEM.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The file with the public key.") var file: String
    @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String
    @Option(help: ArgumentHelp("Its name in the signatures; one is made of the key otherwise.", valueName: "name"))
    var kid: String?

    func run() async throws {
      let pem: String
      do { pem = try String(contentsOfFile: file, encoding: .utf8) } catch {
        throw CommandFailure("expected a file with a public key, got \(file): \(error.localizedDescription)")
      }
      try await options.withStore(CommandAct("app offer-key add", of: app, ["file": file, "kid": kid])) { core in
        do {
          let key = try await core.offerKeys.add(pem, id: kid, to: core.registered(app).id)
          print("The key of \(app) has the kid \(key.id).")
        } catch let error as OfferKeys.Malformed { throw CommandFailure("\(file): \(error)") }
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the keys of an app.")

    @OptionGroup var options: StoreOptions
    @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String

    func run() async throws {
      try await options.withStore { core in
        var table = Table(["KID", "ADDED"])
        for key in try await core.offerKeys.keys(of: app) { table.add([key.id, key.createdAt.ISO8601Format()]) }
        table.show(orElse: "\(app) has no keys for offers.")
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Takes a key away: what it has signed counts no more.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "Its name; after -- if it begins with a hyphen.") var kid: String
    @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String

    func run() async throws {
      try await options.withStore(CommandAct("app offer-key remove", of: app, ["kid": kid])) { core in
        guard try await core.offerKeys.remove(kid, of: app) else {
          throw CommandFailure("expected a key of \(app), got \(kid); `onside app offer-key list` shows them")
        }
        print("The key \(kid) of \(app) counts no more.")
      }
    }
  }
}
