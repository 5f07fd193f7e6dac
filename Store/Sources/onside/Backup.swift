import ArgumentParser
import Foundation
import OnsideStore

/// Copies the database.
struct Backup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copies the database into one file, also while the store serves.",
    discussion: """
      The copy is consistent, was read to its end, and is complete when the command ends. It holds accounts and
      signing keys: keep it as safe as the database. `onside restore` puts it back. Of a PostgreSQL database it is what
      PostgreSQL's pg_dump makes, which has to be installed.
      """)

  @OptionGroup var options: StoreOptions
  @Argument(help: "The file to write. One that is there already is an error.") var file: String
  @Flag(help: "Replace a file of that name, once the copy is complete.") var overwrite = false

  func run() async throws {
    let database = try options.existingDatabase(try options.read())
    let copy = try database.backUp(to: file, overwrites: overwrite)
    print("\(file) is a copy of \(database): schema \(copy.schema), \(copy.size) bytes, checked.")
  }
}
