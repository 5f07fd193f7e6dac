import Foundation
import StoreBaseTestSupport
import StoreTestSupport

@testable import OnsideStore
@testable import StoreBase

extension TestEngine {
  /// Opens the database of a folder: a file of SQLite, or a database of PostgreSQL, whose name is in the folder. The
  /// first time copies a migrated database.
  func open(
    in folder: TemporaryFolder, now: Date = Date(timeIntervalSince1970: 1_780_000_000)
  ) async throws -> any Database {
    switch self {
    case .sqlite:
      let path = folder.file("store.db")
      if !FileManager.default.fileExists(atPath: path) { try await DatabaseTemplate.writeFile(to: path) }
    case .postgres:
      #if canImport(PostgresClient)
        if folder.text("postgres").isEmpty {
          try await PostgresTestDatabase.make(from: DatabaseTemplate.postgres.value.name, in: folder)
        }
      #endif
    }
    return try await open(in: folder, Migration.all, now: now)
  }

  /// Opens the database of a folder, and applies the migrations that it lacks. The first time makes an empty one.
  func open(
    in folder: TemporaryFolder, _ migrations: [Migration], now: Date = Date(timeIntervalSince1970: 1_780_000_000)
  ) async throws -> any Database {
    #if canImport(PostgresClient)
      if self == .postgres {
        if folder.text("postgres").isEmpty { try await PostgresTestDatabase.make(in: folder) }
        return try await PostgresTestDatabase(folder.text("postgres")).open(migrations, now: now)
      }
    #endif
    return try SQLiteDatabase.open(at: folder.file("store.db"), migrations: migrations, now: now)
  }
}
