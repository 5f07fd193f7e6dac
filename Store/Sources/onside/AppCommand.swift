import ArgumentParser
import OnsideCommerce
import OnsideStore
import StoreAccounts
import StoreSales

/// The apps that sell through the store.
struct AppCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app", abstract: "Registers apps and shows them.",
    subcommands: [Add.self, List.self, Show.self, Remove.self, OfferKeyCommand.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Registers an app, or changes a registered one.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The app's identifier, such as io.example.lumen.") var id: String
    @OptionGroup var details: AppDetails

    func run() async throws {
      try await options.withStore(CommandAct("app add", of: id, details.arguments), creating: true) { core in
        let app = try await details.register(id, in: core)
        print("\(app.id) is registered as \"\(app.name)\"; it may send people back to:")
        for address in app.redirectURIs { print("  \(address)") }
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the registered apps.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
      try await options.withStore { core in
        var table = Table(["APP", "NAME", "REGION", "PRODUCTS"])
        for app in core.apps.all {
          let products = core.catalogue.catalogue(of: app.id).products.count
          table.add([app.id, app.name, app.defaultCountry?.alpha2 ?? "-", "\(products)"])
        }
        table.show(orElse: "No app is registered. Add one: onside app add io.example.app")
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows an app and what it sells.")

    @OptionGroup var options: StoreOptions
    @Argument(help: "The app's identifier.") var id: String

    func run() async throws {
      try await options.withStore { core in
        let app = try core.registered(id)
        print("\(app.id)  \"\(app.name)\"  region \(app.defaultCountry?.alpha2 ?? "of the store")")
        for address in app.redirectURIs { print("redirect  \(address)") }
        if let address = app.installURI { print("install   \(address)") }
        var table = Table(["PRODUCT", "KIND", "SOLD IN", "NAME"])
        for product in core.catalogue.catalogue(of: app.id).products {
          let countries = product.prices.keys.map(\.alpha2).sorted().joined(separator: " ")
          table.add([product.id, product.kind.rawValue, countries, product.referenceName])
        }
        table.show(orElse: "It sells nothing yet: onside import FILE.storekit --app \(app.id)")
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Closes an app's access to the store; what was bought stays on record.",
      discussion: """
        An app with active subscriptions is not removed, because they would be charged without access. A subscription is \
        active until its paid period ends, also with its renewal switched off; `onside subscription stop --app ID \
        --now` ends all of an app at once.
        """)

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The app's identifier.") var id: String

    func run() async throws {
      try await options.withStore(CommandAct("app remove", of: id)) { core in
        let app = try core.registered(id)
        do { try await core.apps.remove(app.id) } catch let error as AppRemovalError {
          throw CommandFailure(
            "\(app.id): \(error). Nothing was removed. "
              + "onside subscription stop --app \(app.id) ends them with their paid periods, with --now --refund unused at once"
          )
        }
        print("\(app.id) is no longer registered.")
      }
    }
  }
}
