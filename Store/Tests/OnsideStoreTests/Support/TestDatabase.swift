import Foundation
import StoreTestSupport

@testable import OnsideStore

/// The database of a test's store: a file of SQLite, or with `ONSIDE_TEST_DATABASE=postgres` a database of PostgreSQL,
/// unless the test goes on with a file.
enum TestDatabase {
  static func open(in folder: TemporaryFolder, isNew: Bool, now: Date) async throws -> any Database {
    if isNew, ProcessInfo.processInfo.environment["ONSIDE_TEST_DATABASE"] == "postgres" {
      return try await PostgresTestDatabase().open(Migration.all, now: now)
    }
    return try SQLiteDatabase.open(at: folder.file("store.db"), now: now)
  }
}
