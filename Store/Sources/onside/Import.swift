import ArgumentParser
import Foundation
import OnsideCommerce
import OnsideStore
import StoreSales

/// Puts a catalogue on sale.
struct Import: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Puts a .storekit file, or a catalogue in JSON, on sale for an app.",
    discussion: """
      It becomes the whole of what the app sells; what is missing from it is no longer sold. The app is registered if it
      is not yet. A serving store notices within a second.

      A product that cannot be sold as the file says, for its price, type or period perhaps, stops the import with its
      line. With --skip-invalid the others are imported without it. A file with an unknown storefront has no prices: then
      only the products of --prices are imported.

      A product with active subscriptions keeps its group: a changed group stops the import in any case, because accounts
      could buy the product a second time and be charged in both groups.
      """)

  @OptionGroup var options: ChangeOptions
  @Argument(help: "The .storekit or .json file.") var file: String
  @Option(help: ArgumentHelp("The app that sells it, such as io.example.lumen.", valueName: "id")) var app: String
  @Option(help: ArgumentHelp("Prices by country, JSON; a .storekit file has those of one.", valueName: "file"))
  var prices: String?
  @Flag(help: "Leave products out that are broken, instead of stopping.") var skipInvalid = false
  @Flag(help: "Print the differences from what the app sells, and import nothing.") var dryRun = false
  @OptionGroup var details: AppDetails

  func run() async throws {
    let content = try CatalogueFile.read(file, prices: prices)
    if !skipInvalid, !content.broken.isEmpty {
      throw CommandFailure(
        content.broken.joined(separator: "\n")
          + "\nNothing was imported: mend \(content.broken.count == 1 ? "this" : "these"), "
          + "or leave the products out with --skip-invalid")
    }
    for entry in content.ignored { print("ignored  \(entry)") }
    let id = app
    try await options.withStore(dryRun ? nil : act, creating: !dryRun) { core in
      do { try await core.catalogue.check(content.catalogue, of: id) } catch let error as CatalogueChangeError {
        throw CommandFailure(
          "\(error)\nNothing was imported, because accounts could buy it a second time and be charged for both: "
            + "keep the group, or sell the new group under another product id")
      }
      let present = core.catalogue.catalogue(of: id)
      let difference = CatalogueDifference(from: present, to: content.catalogue)
      if !dryRun {
        _ = try await details.register(id, in: core)
        try await core.catalogue.replace(content.catalogue, of: id)
      }
      // A first import prints no differences: every product is new.
      if dryRun || !present.products.isEmpty { difference.lines.forEach { print($0) } }
      for price in core.unchargeablePrices(of: content.catalogue) { print("warning  \(price)") }
      print(summary(of: content.catalogue))
    }
  }

  private var act: CommandAct {
    let files: [String: String?] = ["file": file, "prices": prices, "skip-invalid": skipInvalid ? "yes" : nil]
    return CommandAct("import", of: app, files.merging(details.arguments) { $1 })
  }

  private func summary(of catalogue: Catalogue) -> String {
    let (products, countries) = (catalogue.products.count, Set(catalogue.products.flatMap(\.prices.keys)).count)
    let text =
      "\(products) product\(products == 1 ? "" : "s") in \(countries) \(countries == 1 ? "country" : "countries")."
    return dryRun ? "Nothing was imported. \(app) would sell \(text)" : "\(app) now sells \(text)"
  }
}
