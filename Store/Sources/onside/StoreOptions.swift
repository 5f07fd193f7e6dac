import ArgumentParser
import Foundation
import Logging
import OnsideStore
import StoreBase

/// Which store a command works on.
struct StoreOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The database: a file, or postgres://… Default: onside.sqlite here.", valueName: "file"))
  var database: String?

  @Option(help: ArgumentHelp("A configuration file (TOML).", valueName: "file"))
  var configuration: String?

  /// Reads the configuration from file, environment and flags, the last of which win, and then drops root's rights.
  func read(flags: [String: String] = [:]) throws -> ServeConfiguration {
    var flags = flags
    flags["database"] = database
    let configuration = try ServeConfiguration(
      file: configuration, environment: ProcessInfo.processInfo.environment, flags: flags)
    if let path = configuration.database.path { try RootPrivileges.drop(toOwnerOf: path) }
    return configuration
  }

  /// Where the database is. A file has to be there.
  func existingDatabase(_ configuration: ServeConfiguration) throws -> DatabaseLocation {
    guard let path = configuration.database.path, !FileManager.default.fileExists(atPath: path) else {
      return configuration.database
    }
    throw CommandFailure(
      """
      expected the store's database at \(path), but there is no such file. \
      Go to the folder where the store was started, or say where it is with --database.
      """)
  }

  /// The path of the database file, which has to be there: for commands that work on files.
  func existingFile(_ configuration: ServeConfiguration) throws -> String {
    let location = try existingDatabase(configuration)
    guard let path = location.path else {
      throw CommandFailure(
        "expected a database file, but the database is \(location). docs/operating.md tells what to do on PostgreSQL.")
    }
    return path
  }

  /// Opens the store for one command. Without `creating`, a file that is not there is an error, and so is a server's
  /// database without tables. An older schema is one, too: a store of an earlier version may be serving from it.
  func withStore<Result: Sendable>(
    creating: Bool = false, _ body: (StoreCore) async throws -> Result
  ) async throws -> Result {
    let configuration = try read()
    let location = creating ? configuration.database : try existingDatabase(configuration)
    let logger = Logger(label: "onside") { _ in SwiftLogNoOpLogHandler() }
    let clock = SteadyClock()
    let opening = DatabaseOpening(location, guardFile: configuration.vaultGuard)
    let database = try opening.open(now: clock.now(), olderSchema: .refuse, makesTables: creating)
    do {
      try await clock.resume(from: database)
      let core = try await StoreCore(
        StoreDependencies(clock: clock, database: database, logger: logger, configuration: configuration.store))
      let result = try await body(core)
      await database.close()
      return result
    } catch {
      await database.close()
      throw error
    }
  }
}

/// Why a command did not do what it was asked: one line for people, saying what was expected and what to do.
struct CommandFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
