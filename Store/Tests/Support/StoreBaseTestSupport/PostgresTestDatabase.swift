package import Foundation
package import StoreBase
package import StoreTestSupport

/// A PostgreSQL database of one test.
package struct PostgresTestDatabase {
  /// A table for tests of the engine.
  package static let numbers = [
    Migration(
      1, name: "numbers", sql: "CREATE TABLE numbers(value BIGINT NOT NULL UNIQUE, name TEXT);",
      postgres: #"CREATE TABLE numbers(value BIGINT NOT NULL UNIQUE, name TEXT COLLATE "C");"#)
  ]

  package let server: PostgresServer
  package let name: String

  /// A new database, which is removed with its server, or the one of that name.
  package init(_ name: String? = nil) async throws {
    server = try await SharedPostgresServer.server
    if let name { self.name = name } else { self.name = try await server.makeDatabase() }
  }

  /// Makes a database that is removed with a folder, which gets its name.
  package static func make(from template: String = "template0", in folder: TemporaryFolder) async throws {
    let database = try await SharedPostgresServer.server.makeTemporaryDatabase(from: template)
    try database.name.write(toFile: folder.file("postgres"), atomically: true, encoding: .utf8)
    folder.hold(database)
  }

  /// Opens it on a thread of its own, since opening blocks.
  package func open(
    _ migrations: [Migration] = numbers, now: Date = Date(timeIntervalSince1970: 1_780_000_000),
    olderSchema: OlderSchema = .migrate, makesTables: Bool = true, longReads: Bool = false,
    through proxy: PostgresProxy? = nil
  ) async throws -> PostgresDatabase {
    let url = proxy?.url(name) ?? server.url(name)
    return try await onThread {
      try PostgresDatabase.open(
        at: url, migrations: migrations, now: now, olderSchema: olderSchema, makesTables: makesTables,
        longReads: longReads)
    }
  }
}

extension PostgresDatabase {
  /// How many numbers it holds.
  package func count() async throws -> Int64? {
    try await read { try $0.row("SELECT count(*) AS count FROM numbers")?.integer("count") }
  }
}
