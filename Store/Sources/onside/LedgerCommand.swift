import ArgumentParser
import Foundation
import OnsideCommerce
import OnsideStore
import StoreBase
import StoreSales

/// The books, for accountants.
struct LedgerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger", abstract: "Exports the ledger, and shows the balances of its accounts.",
    subcommands: [Export.self, Balances.self])

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Writes the ledger as plain-text accounting, in hledger's journal format.",
      discussion: """
        One transaction for each row, in the order of time. Check it with `hledger --file FILE check --strict`. A period's
        journal begins with the balances before it.
        """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var period: PeriodOptions
    @Option(help: ArgumentHelp("The file to write; without it, standard output.", valueName: "file"))
    var output: String?

    func run() async throws {
      let export = LedgerExport(from: try period.start, until: try period.end)
      try await options.withStore { core in
        let database = core.dependencies.database
        if let output {
          let count = try await export.write(database, to: output)
          print("\(output) has \(count) transaction\(count == 1 ? "" : "s").")
        } else {
          let temporary = FileManager.default.temporaryDirectory.appending(path: "onside-\(UUID().uuidString).journal")
          defer { try? FileManager.default.removeItem(at: temporary) }
          try await export.write(database, to: temporary.path(percentEncoded: false))
          try copyToOutput(temporary)
        }
      }
    }

    /// Writes a file to standard output in parts: a ledger may be larger than the memory.
    private func copyToOutput(_ file: URL) throws {
      let handle = try FileHandle(forReadingFrom: file)
      defer { try? handle.close() }
      while let part = try handle.read(upToCount: 1 << 20), !part.isEmpty {
        try FileHandle.standardOutput.write(contentsOf: part)
      }
    }
  }

  struct Balances: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows the balance of each account: what it received less what it gave.")

    @OptionGroup var options: StoreOptions
    @Option(help: ArgumentHelp("Only what was booked before this day (UTC).", valueName: "day")) var until: String?

    func run() async throws {
      let end = try until.map { try DayArgument("--until", $0).date }
      try await options.withStore { core in
        let balances = try await core.dependencies.database.read { try Ledger.balances(before: end, in: $0) }
        var table = Table(["ACCOUNT", "CURRENCY", "BALANCE"])
        for balance in balances {
          table.add([balance.account.path, balance.amount.currency.code, balance.amount.amount])
        }
        table.show(orElse: "All balances are zero.")
      }
    }
  }
}
