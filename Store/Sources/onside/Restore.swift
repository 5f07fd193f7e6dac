import ArgumentParser
import Foundation
import OnsideStore
import StoreBase

/// Puts a backup back.
struct Restore: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Puts a backup in the database's place, with the store stopped.",
    discussion: """
      The backup is checked first. A database file that is in place is kept under another name; a PostgreSQL database
      has to be empty. Every device's next sync starts over, so that none misses a change whose number the backup gives
      out again. Orders, payments and finishes made since the backup are not in it.
      """)

  @OptionGroup var options: StoreOptions
  @Argument(help: "The backup.") var file: String

  func run() async throws {
    let database = try options.read().database
    show(try database.restore(from: file, now: SystemClock().now()), database: database)
  }

  private func show(_ outcome: DatabaseRestore.Outcome, database: DatabaseLocation) {
    print(
      """
      \(database) is now the copy \(file) (schema \(outcome.copy.schema), checked).
      Every device starts over with its next sync. Renewals, refunds and messages wait.
      """)
    if let kept = outcome.kept {
      print("The database before it is kept as \(kept). It holds accounts and keys: remove it when it is not needed.")
    }
    print(
      """
      Next:
        1. Leave the vault's guard file where it is: by it the store notices the backup.
        2. Start the store\(outcome.isOlder ? ", which brings the older schema forward" : "").
        3. Compare onside order list with the payment provider: what was paid since the backup is not in it.
        4. Run onside doctor: only charges may fail.
        5. If no other database of this store is in use, run onside resume-charges.
      """)
  }
}
