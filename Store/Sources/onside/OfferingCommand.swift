import ArgumentParser
import Foundation
import OnsideStore
import StoreSales

/// Groups of products that apps show.
struct OfferingCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "offering", abstract: "Groups of products that an app shows, without a new version of the app.",
    subcommands: [Set.self, List.self, Remove.self])

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Adds an offering, or replaces the one of that name.",
      discussion:
        "Example: onside offering set plans --app io.example.app pro_monthly pro_yearly --metadata layout=wide")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "Its name within the app.") var name: String
    @Argument(help: "Its products, in the order in which they are shown.") var products: [String]
    @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String
    @Option(help: ArgumentHelp("A text for the app.", valueName: "name=text")) var metadata: [String] = []
    @Flag(inversion: .prefixedNo, help: "Whether it is the offering to be shown.") var current: Bool?

    func run() async throws {
      let offering: Offering
      do {
        offering = try Offering(id: name, metadata: try texts(), productIDs: products)
      } catch let error as Offering.Malformed { throw CommandFailure("\(error)") }
      let arguments: [String: String?] = [
        "app": app, "products": products.joined(separator: " "), "metadata": metadata.joined(separator: " "),
        "current": current.map { $0 ? "yes" : "no" },
      ]
      try await options.withStore(CommandAct("offering set", of: name, arguments)) { core in
        _ = try core.registered(app)
        do {
          try await core.offerings.save(offering, of: app, isCurrent: current)
        } catch let error as Offering.Malformed { throw CommandFailure("\(error)") }
        print("Offering \(name) of \(app) has \(products.count) product\(products.count == 1 ? "" : "s").")
      }
    }

    private func texts() throws -> [String: String] {
      var texts: [String: String] = [:]
      for text in metadata {
        guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
          throw CommandFailure("expected --metadata name=text, got \(text)")
        }
        let name = String(text[..<sign])
        guard texts.updateValue(String(text[text.index(after: sign)...]), forKey: name) == nil else {
          throw CommandFailure("expected each name of --metadata once, got \(name) twice")
        }
      }
      return texts
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the offerings of an app.")

    @OptionGroup var options: StoreOptions
    @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String

    func run() async throws {
      try await options.withStore { core in
        let offerings = try await core.offerings.offerings(of: app)
        var table = Table(["OFFERING", "CURRENT", "PRODUCTS", "METADATA"])
        for offering in offerings.all {
          let metadata = offering.metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
          table.add([
            offering.id, offering.id == offerings.current ? "yes" : "no",
            offering.productIDs.joined(separator: " "), metadata.isEmpty ? "-" : metadata.joined(separator: " "),
          ])
        }
        table.show(orElse: "\(app) has no offerings.")
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Removes an offering.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "Its name within the app.") var name: String
    @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String

    func run() async throws {
      try await options.withStore(CommandAct("offering remove", of: name, ["app": app])) { core in
        guard try await core.offerings.remove(name, of: app) else {
          throw CommandFailure("expected an offering of \(app), got \(name); `onside offering list` shows them")
        }
        print("Offering \(name) of \(app) is removed.")
      }
    }
  }
}
