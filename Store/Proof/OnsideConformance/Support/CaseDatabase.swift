import Foundation
import OnsideStore
import StoreBase
import StoreTestSupport

/// The database of one case, which each of its stores opens for itself: a file of SQLite, or one of PostgreSQL.
enum CaseDatabase: Sendable {
  case sqlite(file: String)
  case postgres(name: String)

  /// A copy of a database that has its tables already.
  static func makePostgres() async throws -> CaseDatabase {
    .postgres(name: try await SharedPostgresServer.server.makeDatabase(from: try await template.value))
  }

  private static let template = Task {
    let name = try await SharedPostgresServer.server.makeDatabase()
    await (try await openPostgres(name, now: SystemClock().now())).close()
    return name
  }

  func open(now: Date = SystemClock().now()) async throws -> any Database {
    switch self {
    case .sqlite(let file): try SQLiteDatabase.open(at: file, now: now)
    case .postgres(let name): try await Self.openPostgres(name, now: now)
    }
  }

  /// Deletes a database of PostgreSQL; a file of SQLite goes with its folder.
  func remove() async throws {
    if case .postgres(let name) = self { try await SharedPostgresServer.server.removeDatabase(name) }
  }

  private static func openPostgres(_ name: String, now: Date) async throws -> any Database {
    #if canImport(PostgresClient)
      let url = try await SharedPostgresServer.server.url(name)
      // Opening waits for others that open it. A machine that stands still for ten seconds fails no case.
      return try await onThread { try PostgresDatabase.open(at: url, now: now, statementTimeout: .seconds(120)) }
    #else
      throw LeftOut()
    #endif
  }

  #if !canImport(PostgresClient)
    private struct LeftOut: Error, CustomStringConvertible {
      let description = "expected a build with PostgreSQL; this one was made with ONSIDE_WITHOUT_POSTGRES"
    }
  #endif
}
