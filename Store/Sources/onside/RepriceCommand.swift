import ArgumentParser
import Foundation
import OnsideCommerce
import OnsideStore
import StoreSales

/// `onside subscription reprice`: makes the catalogue's price the price of present subscribers.
struct RepriceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reprice", abstract: "Makes the catalogue's price of a product the price of its present subscribers.",
    discussion: """
      From the next renewal on. Import the catalogue first. A higher price is announced by a message, or needs consent:
      the account is asked on its page. Each subscription that cannot have the price at its next renewal (`later`) gets
      it at a later one: the next period is being paid, follows a trial or an offer, begins too soon, or is paid with a
      card that is not the account's own.
      """)

  /// The rises that need consent.
  enum Consent: String, ExpressibleByArgument, CaseIterable {
    case rules, always, never
  }

  /// The effect of a missing consent.
  enum WithoutConsent: String, ExpressibleByArgument, CaseIterable {
    case end, keep
  }

  @OptionGroup var options: ChangeOptions
  @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String
  @Option(help: ArgumentHelp("The product.", valueName: "id")) var product: String
  @Option(help: "Only subscriptions with prices of this country, such as NL.") var country: String?
  @Option(help: ArgumentHelp("The day from which periods may have the price, in UTC.", valueName: "YYYY-MM-DD"))
  var from: String?
  @Option(
    help: ArgumentHelp(
      "Days between the message about a rise and the period that has it; at most half a period.", valueName: "days"))
  var notice = 7
  @Option(
    help: ArgumentHelp(
      """
      Rises that need consent: `rules`, those above half of the price and about 5 US dollars (50 for a year), and every \
      second one within a year; `always`, each; `never`, none. A rise from 0 always does.
      """))
  var consent = Consent.rules
  @Option(help: "Without consent the subscription ends with its period, or keeps its price.")
  var withoutConsent = WithoutConsent.end
  @Option(
    help: ArgumentHelp(
      "Other rules for consent: JSON with amounts (by currency: shorter, year), others, percent, days.",
      valueName: "file"))
  var rules: String?
  @Flag(help: "Print the effect, and change nothing.") var dryRun = false

  func validate() throws {
    guard (0...365).contains(notice) else {
      throw ValidationError("--notice: expected 0 to 365 days, got \(notice)")
    }
    guard rules == nil || consent == .rules else {
      throw ValidationError("--rules: expected --consent rules, got --consent \(consent.rawValue)")
    }
  }

  func run() async throws {
    let (country, terms) = (try chosenCountry(), try chosenTerms())
    try await options.withStore(dryRun ? nil : act) { core in
      guard core.catalogue.product(product, of: app)?.subscription != nil else {
        throw CommandFailure("--product: expected a subscription that \(app) sells or has sold, got \(product)")
      }
      let report = try await core.subscriptions.reprice(
        product, of: app, in: country, on: terms, isDryRun: dryRun)
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

  private var act: CommandAct {
    CommandAct(
      "subscription reprice", of: product,
      [
        "app": app, "country": country, "from": from, "notice": "\(notice)", "consent": consent.rawValue,
        "without-consent": withoutConsent.rawValue, "rules": rules,
      ])
  }

  private func chosenTerms() throws -> RenewalPriceTerms {
    RenewalPriceTerms(
      validFrom: try firstDay() ?? .distantPast, noticeDays: notice, rules: try chosenRules(),
      keepsPriceWithoutConsent: withoutConsent == .keep)
  }

  private func firstDay() throws -> Date? {
    guard let from else { return nil }
    guard let day = try? Date(from, strategy: .iso8601.year().month().day()) else {
      throw CommandFailure("--from: expected a day such as 2027-01-31, got \"\(from)\"")
    }
    return day
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
    guard let rules else {
      switch consent {
      case .rules: return .standard
      case .always: return .always
      case .never: return .never
      }
    }
    do { return try JSONDecoder().decode(PriceRiseRules.self, from: Data(contentsOf: URL(filePath: rules))) } catch {
      throw CommandFailure(
        "--rules: expected a file with JSON such as {\"amounts\": {\"EUR\": {\"shorter\": 500, \"year\": 5000}}, "
          + "\"others\": {\"shorter\": 0, \"year\": 0}, \"percent\": 50, \"days\": 365}; \(rules): \(error)")
    }
  }
}
