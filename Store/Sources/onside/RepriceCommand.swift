import ArgumentParser
import Foundation
import OnsideCommerce
import OnsideStore

/// A new price of the catalogue for those who subscribe already: `onside subscription reprice`.
struct RepriceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reprice", abstract: "Lets the catalogue's price of a product apply to its present subscribers.",
    discussion: """
      From the next renewal on. A price that rises by more than half and by more than about 5 US dollars (50 for a year),
      every second rise within a year, and one from 0 needs consent: the account is asked on its page, and without an
      answer the subscription ends and nothing more is charged. Import the catalogue first. The command may be repeated:
      it leaves alone what has the price already, and says `later` of what keeps the old one: the next period is being
      paid, follows a trial or an offer, or is paid with a card that is not the account's own.
      """)

  @OptionGroup var options: StoreOptions
  @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String
  @Option(help: ArgumentHelp("The product.", valueName: "id")) var product: String
  @Option(help: "Only subscriptions with prices of this country, such as NL.") var country: String?
  @Option(
    help: ArgumentHelp(
      "Other rules for consent: JSON with amounts (by currency: shorter, year), others, percent, days.",
      valueName: "file"))
  var rules: String?
  @Flag(help: "Say what would happen, and change nothing.") var dryRun = false

  func run() async throws {
    let (country, rules) = (try chosenCountry(), try chosenRules())
    try await options.withStore { core in
      guard core.catalogue.product(product, of: app)?.subscription != nil else {
        throw CommandFailure("--product: expected a subscription that \(app) sells or has sold, got \(product)")
      }
      let report = try await core.subscriptions.reprice(
        product, of: app, in: country, by: rules, isDryRun: dryRun)
      var table = Table(["COUNTRY", "NOW", "NEW", "OUTCOME", "SUBSCRIPTIONS"])
      for (group, count) in report.counts.sorted(by: { Self.order($0.key) < Self.order($1.key) }) {
        table.add([
          group.country.alpha2, Self.text(group.old), group.new.map(Self.text) ?? "-", group.outcome.rawValue,
          String(count),
        ])
      }
      table.show(orElse: "There are no such subscriptions.")
      if dryRun { print("Nothing was changed.") }
    }
  }

  private static func text(_ money: Money) -> String { "\(money.amount) \(money.currency.code)" }

  private static func order(_ group: PriceChangeReport.Group) -> String {
    "\(group.country.alpha2) \(group.outcome.rawValue) \(group.old.minorUnits)"
  }

  private func chosenCountry() throws -> CountryCode? {
    guard let country else { return nil }
    guard let code = CountryCode(alpha2: country.uppercased()) else {
      throw CommandFailure("--country: expected two letters such as NL, got \"\(country)\"")
    }
    return code
  }

  private func chosenRules() throws -> PriceRiseRules {
    guard let rules else { return .standard }
    do { return try JSONDecoder().decode(PriceRiseRules.self, from: Data(contentsOf: URL(filePath: rules))) } catch {
      throw CommandFailure(
        "--rules: expected a file with JSON such as {\"amounts\": {\"EUR\": {\"shorter\": 500, \"year\": 5000}}, "
          + "\"others\": {\"shorter\": 0, \"year\": 0}, \"percent\": 50, \"days\": 365}; \(rules): \(error)")
    }
  }
}
