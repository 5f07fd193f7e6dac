import ArgumentParser
import Foundation
import OnsideStore
import StoreBase

/// Brings the tables up to date.
struct Migrate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Brings the database's schema up to date, with the store stopped.",
    discussion: """
      `onside serve` does the same at its start; no other command changes the schema. There is no way back: make a
      copy with `onside backup` first.
      """)

  @OptionGroup var options: StoreOptions

  func run() async throws {
    let configuration = try options.read()
    let location = try options.existingDatabase(configuration)
    let database = try DatabaseOpening(location, guardFile: configuration.vaultGuard).open(now: SystemClock().now())
    let change = database.schemaChange
    await database.close()
    guard let change else { return print("\(location) is up to date.") }
    print("\(location) had schema \(change.from) and has schema \(change.to) now.")
  }
}
