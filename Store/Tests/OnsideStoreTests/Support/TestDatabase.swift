import Foundation
import StoreTestSupport
import Testing

@testable import OnsideStore

/// The database of a test's store: a file of SQLite in its folder, or with `ONSIDE_TEST_DATABASE=postgres` a database of
/// PostgreSQL, whose name is in the folder. A folder that has a file of SQLite keeps it.
enum TestDatabase {
  static let isPostgres = ProcessInfo.processInfo.environment["ONSIDE_TEST_DATABASE"] == "postgres"

  static func open(in folder: TemporaryFolder, now: Date) async throws -> any Database {
    let file = folder.file("store.db")
    #if canImport(PostgresClient)
      if isPostgres, !FileManager.default.fileExists(atPath: file) {
        let nameFile = folder.file("postgres")
        let database = try await PostgresTestDatabase(try? String(contentsOfFile: nameFile, encoding: .utf8))
        try database.name.write(toFile: nameFile, atomically: true, encoding: .utf8)
        return try await database.open(Migration.all, now: now)
      }
    #endif
    return try SQLiteDatabase.open(at: file, now: now)
  }
}

extension Trait where Self == ConditionTrait {
  /// Runs a test only when the tests' stores have files of SQLite.
  static func onSQLite(_ reason: Comment) -> Self { .enabled(if: !TestDatabase.isPostgres, reason) }
}
