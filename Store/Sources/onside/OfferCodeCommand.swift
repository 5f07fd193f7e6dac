import ArgumentParser
import Foundation
import OnsideStore
import StoreSales

/// Codes of offers.
struct OfferCodeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "offer-code", abstract: "Codes with which people get an offer of a subscription.",
    subcommands: [Create.self, List.self, Export.self, Disable.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes one-time codes of an offer and prints them, or one code with a name.",
      discussion: """
        Each one-time code is used once; of a code with a name every account has one use. People enter a code on the
        store's page /redeem, or follow a link: /redeem?code=CODE. The offer is one of the kind CODE in the catalogue.
        """)

    @OptionGroup var options: ChangeOptions
    @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String
    @Option(help: ArgumentHelp("The subscription.", valueName: "id")) var product: String
    @Option(help: ArgumentHelp("Its offer.", valueName: "id")) var offer: String
    @Option(help: "How many one-time codes.") var count: Int?
    @Option(help: ArgumentHelp("One code with this name, instead of one-time codes.", valueName: "name"))
    var custom: String?
    @Option(help: "How many accounts may use the code with a name.") var limit: Int64?
    @Option(help: ArgumentHelp("The first day on which the codes are not taken, in UTC.", valueName: "day"))
    var expires: String?

    func validate() throws {
      guard (count == nil) != (custom == nil) else { throw ValidationError("expected --count or --custom") }
      guard (custom == nil) == (limit == nil) else { throw ValidationError("expected --limit with --custom") }
    }

    /// A code with a name is left out: it is a secret like the others.
    private var act: CommandAct {
      CommandAct(
        "offer-code create", of: product,
        [
          "app": app, "offer": offer, "count": count.map(String.init), "custom": custom.map { _ in "yes" },
          "limit": limit.map(String.init), "expires": expires,
        ])
    }

    func run() async throws {
      let end = try expires.map { day in
        guard let date = try? Date(day, strategy: .iso8601.year().month().day()) else {
          throw CommandFailure("--expires: expected a day such as 2026-12-31, got \"\(day)\"")
        }
        return date
      }
      try await options.withStore(act) { core in
        _ = try core.registered(app)
        do {
          if let custom, let limit {
            let code = try await core.offerCodes.createCustom(
              custom, limit: limit, product: product, offer: offer, of: app, expiresAt: end)
            print(code.text)
          } else {
            let made = try await core.offerCodes.create(
              count ?? 0, product: product, offer: offer, of: app, expiresAt: end)
            for code in made.codes { print(code.readable) }
          }
        } catch let error as OfferCodeService.Malformed { throw CommandFailure("\(error)") }
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the codes of an app by batch, the newest first.")

    @OptionGroup var options: StoreOptions
    @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String

    func run() async throws {
      try await options.withStore { core in
        var table = Table(["BATCH", "PRODUCT", "OFFER", "CODES", "USED", "OF", "UNTIL", "STATE"])
        for item in try await core.offerCodes.batches(of: app) {
          let batch = item.batch
          table.add([
            batch.id, batch.productID, batch.offerID, String(item.codes), String(item.uses), String(item.limit),
            batch.expiresAt.map { $0.formatted(.iso8601.year().month().day()) } ?? "-",
            batch.disabledAt == nil ? "on" : "disabled",
          ])
        }
        table.show(orElse: "\(app) has no offer codes.")
      }
    }
  }

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints the codes of a batch as CSV: each code, how often it was used, and how often it may be.")

    @OptionGroup var options: StoreOptions
    @Argument(help: "The batch, as `onside offer-code list` has it.") var batch: String
    @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String

    func run() async throws {
      try await options.withStore { core in
        guard let codes = try await core.offerCodes.codes(of: batch, app: app) else {
          throw CommandFailure("expected a batch of \(app), got \(batch); `onside offer-code list` shows them")
        }
        print("code,used,limit")
        for code in codes { print("\(code.readable),\(code.uses),\(code.limit)") }
      }
    }
  }

  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Ends the codes of a batch; what was ordered with one may still be paid.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The batch, as `onside offer-code list` has it.") var batch: String
    @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String

    func run() async throws {
      try await options.withStore(CommandAct("offer-code disable", of: batch, ["app": app])) { core in
        guard try await core.offerCodes.disable(batch, of: app) else {
          throw CommandFailure(
            "expected a batch of \(app) that is on, got \(batch); `onside offer-code list` shows them")
        }
        print("The codes of \(batch) are disabled.")
      }
    }
  }
}
