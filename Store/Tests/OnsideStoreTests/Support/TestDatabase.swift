import Foundation
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase

/// The database of a test's store: a file of SQLite in its folder, or with `ONSIDE_TEST_DATABASE=postgres` a database
/// of PostgreSQL, whose name is in the folder, and which runs each write twice. A folder that has a file of SQLite
/// keeps it.
enum TestDatabase {
  static let isPostgres = ProcessInfo.processInfo.environment["ONSIDE_TEST_DATABASE"] == "postgres"

  static func open(in folder: TemporaryFolder, now: Date) async throws -> any Database {
    let hasFile = FileManager.default.fileExists(atPath: folder.file("store.db"))
    guard isPostgres, !hasFile else { return try await TestEngine.sqlite.open(in: folder, now: now) }
    return RepeatedWrites(base: try await TestEngine.postgres.open(in: folder, now: now))
  }

  /// Copies the database of a folder, which must be closed. Returns what ``putBack(_:in:)`` takes.
  static func copy(of folder: TemporaryFolder) async throws -> String {
    let copy = folder.file("copy-\(UUID().uuidString)")
    #if canImport(PostgresClient)
      if isPostgres {
        let copy = try await SharedPostgresServer.server.makeTemporaryDatabase(from: folder.text("postgres"))
        folder.hold(copy)
        return copy.name
      }
    #endif
    try FileManager.default.copyItem(atPath: folder.file("store.db"), toPath: copy)
    return copy
  }

  /// Puts a copy in the place of the folder's database, as docs/operating.md says: with the store stopped.
  static func putBack(_ copy: String, in folder: TemporaryFolder) throws {
    if isPostgres { return try copy.write(toFile: folder.file("postgres"), atomically: true, encoding: .utf8) }
    for name in ["store.db", "store.db-wal", "store.db-shm"] {
      try? FileManager.default.removeItem(atPath: folder.file(name))
    }
    try FileManager.default.copyItem(atPath: copy, toPath: folder.file("store.db"))
  }

  /// Lets every device's sync start over, as `onside doctor --after-restore` does; stores may have the database open.
  static func renewCursors(in folder: TemporaryFolder) async throws {
    var place = folder.file("store.db")
    if isPostgres {
      place = try await SharedPostgresServer.server.url(folder.text("postgres"))
    }
    let location = try #require(DatabaseLocation(place))
    try await onThread { try location.renewCursors(at: Date()) }
  }
}

extension Trait where Self == ConditionTrait {
  /// Runs a test only when the tests' stores have files of SQLite.
  static func onSQLite(_ reason: Comment) -> Self { .enabled(if: !TestDatabase.isPostgres, reason) }
}
