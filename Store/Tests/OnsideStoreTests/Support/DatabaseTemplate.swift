import Foundation
import StoreBaseTestSupport
import StoreTestSupport

@testable import OnsideStore
@testable import StoreBase

/// Databases with every migration and without rows, made once for each process. Tests copy them, because all migrations
/// together take longer than most tests.
enum DatabaseTemplate {
  /// The contents of a file of SQLite.
  private static let sqlite = Task {
    let folder = try TemporaryFolder()
    await (try await TestEngine.sqlite.open(in: folder, Migration.all)).close()
    return try Data(contentsOf: URL(filePath: folder.file("store.db")))
  }

  /// Writes a new file with the rights of one that the store makes.
  static func writeFile(to path: String) async throws {
    let data = try await sqlite.value
    guard FileManager.default.createFile(atPath: path, contents: data, attributes: [.posixPermissions: 0o600]) else {
      throw CocoaError(.fileWriteUnknown)
    }
  }

  #if canImport(PostgresClient)
    /// A database of PostgreSQL, to which nothing is connected.
    static let postgres = Task {
      let test = try await PostgresTestDatabase()
      await (try await test.open(Migration.all)).close()
      return test
    }
  #endif
}
