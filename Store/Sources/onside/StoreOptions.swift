import ArgumentParser
import Foundation
import Logging
import OnsideStore

/// Which store a command works on.
struct StoreOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The database file. Default: onside.sqlite here.", valueName: "file"))
  var database: String?

  @Option(help: ArgumentHelp("A configuration file (TOML).", valueName: "file"))
  var configuration: String?

  /// The configuration from file, environment and flags, the last of which win.
  func read(flags: [String: String] = [:]) throws -> ServeConfiguration {
    var flags = flags
    flags["database"] = database
    return try ServeConfiguration(
      file: configuration, environment: ProcessInfo.processInfo.environment, flags: flags)
  }

  /// The path of the database, which has to be there.
  func existingDatabase(_ configuration: ServeConfiguration) throws -> String {
    guard FileManager.default.fileExists(atPath: configuration.database) else {
      throw CommandFailure(
        """
        expected the store's database at \(configuration.database), but there is no such file. \
        Go to the folder where the store was started, or say where it is with --database.
        """)
    }
    return configuration.database
  }

  /// Opens the store for one command. Without `creating`, a file that is not there is an error. An older schema is one,
  /// too: a store of an earlier version may be serving from it.
  func withStore<Result: Sendable>(
    creating: Bool = false, _ body: (StoreCore) async throws -> Result
  ) async throws -> Result {
    let configuration = try read()
    if !creating { _ = try existingDatabase(configuration) }
    let logger = Logger(label: "onside") { _ in SwiftLogNoOpLogHandler() }
    let clock = SystemClock()
    let database = try SQLiteDatabase.open(at: configuration.database, now: clock.now(), olderSchema: .refuse)
    do {
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
