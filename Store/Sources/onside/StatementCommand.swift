import ArgumentParser
import Foundation
import OnsideStore
import StoreAccounts
import StoreBase
import StoreSales

/// What the store owes an app for a month.
struct StatementCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "statement", abstract: "Writes the statement of an app and month, as CSV or as a page.",
    discussion:
      "Its lines are the rows of the ledger that touch the app's balance. Example: onside statement ID 2026-11")

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case csv, html
  }

  @OptionGroup var options: StoreOptions
  @Argument(help: "The app's id.") var app: String
  @Argument(help: "The month (UTC), such as 2026-11.") var month: String
  @Option(help: "csv or html.") var format = Format.csv
  @Option(help: ArgumentHelp("The file to write; without it, standard output.", valueName: "file")) var output: String?

  func run() async throws {
    guard let month = StatementMonth(month) else {
      throw CommandFailure("expected a month such as 2026-11, got \"\(month)\"")
    }
    try await options.withStore { core in
      let id = app
      let statement = try await core.dependencies.database.read { try Statement(of: id, in: month, from: $0) }
      // An app that is not registered any more may still be owed something.
      let name = try statement.currencies.isEmpty ? core.registered(id).name : core.apps.app(id)?.name ?? id
      let configuration = core.dependencies.configuration
      let seller = configuration.seller.name ?? configuration.name
      let text = try format == .csv ? statement.csv : StatementPage(statement, seller: seller, appName: name).html()
      try TextOutput(path: output).write(text)
    }
  }
}
