import Foundation
import StoreTestSupport

@testable import OnsideStore

extension TestEngine {
  /// Opens the database of a folder: a file of SQLite, or a database of PostgreSQL, whose name is in the folder. The
  /// first time makes it.
  func open(
    in folder: TemporaryFolder, _ migrations: [Migration] = Migration.all,
    now: Date = Date(timeIntervalSince1970: 1_780_000_000)
  ) async throws -> any Database {
    #if canImport(PostgresClient)
      if self == .postgres {
        let nameFile = folder.file("postgres")
        let database = try await PostgresTestDatabase(try? String(contentsOfFile: nameFile, encoding: .utf8))
        try database.name.write(toFile: nameFile, atomically: true, encoding: .utf8)
        return try await database.open(migrations, now: now)
      }
    #endif
    return try SQLiteDatabase.open(at: folder.file("store.db"), migrations: migrations, now: now)
  }
}
