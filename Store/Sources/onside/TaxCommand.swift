import ArgumentParser
import Foundation
import OnsideCommerce
import OnsideStore
import StoreSales

/// The taxes that prices include.
struct TaxCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tax", abstract: "Tax rates, by country and time.", subcommands: [Import.self, List.self])

  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Adds tax rates from a file, or those of the European Union.",
      discussion: """
        A .json file has {"rates": [{"country": "FI", "basis_points": 2550, "valid_from": "2024-09-01", "time_zone": \
        "Europe/Helsinki", "source": "…"}]}; a .csv file has the same names in its first line. Basis points are hundredths \
        of a percent. A rate of the same country and first day is replaced; sales that are booked keep their tax.
        """)

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The .json or .csv file.") var file: String?
    @Flag(help: "The standard rates of the European Union that come with this program.") var eu = false

    func run() async throws {
      let rates = try read()
      try await options.withStore(CommandAct("tax import", of: nil, ["file": file, "eu": eu ? "yes" : nil])) { core in
        try await core.tax.add(rates)
        let countries = Set(rates.map(\.country)).count
        print(
          "\(rates.count) rate\(rates.count == 1 ? "" : "s") of \(countries) \(countries == 1 ? "country" : "countries") added."
        )
      }
    }

    private func read() throws -> [TaxRate] {
      guard let file else {
        guard eu else { throw CommandFailure("expected a .json or .csv file with rates, or --eu") }
        return try TaxRateFile.europeanUnion()
      }
      guard !eu else { throw CommandFailure("expected either a file or --eu, got both") }
      let data: Data
      do { data = try Data(contentsOf: URL(filePath: file)) } catch {
        throw CommandFailure("\(file): expected a file that can be read")
      }
      do {
        switch URL(filePath: file).pathExtension.lowercased() {
        case "json": return try TaxRateFile.json(data)
        case "csv": return try TaxRateFile.csv(String(decoding: data, as: UTF8.self))
        default: throw CommandFailure("\(file): expected a file named .json or .csv")
        }
      } catch let error as TaxRateFile.Malformed {
        throw CommandFailure("\(file): \(error)")
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the tax rates.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
      try await options.withStore { core in
        var table = Table(["COUNTRY", "RATE", "FROM", "TIME ZONE", "SOURCE"])
        for rate in try await core.tax.rates() {
          table.add([
            rate.country.alpha2, TaxRate.percent(rate.basisPoints), rate.firstDay, rate.timeZone, rate.source,
          ])
        }
        table.show(orElse: "There are no tax rates: sales are booked without tax.")
      }
    }
  }
}
