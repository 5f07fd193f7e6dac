import Foundation
import StoreTestSupport
import Synchronization
import Testing

@testable import OnsideStore

@Suite("PostgreSQL", .timeLimit(.minutes(5)))
struct PostgresDatabaseTests {
  private struct Refused: Error {}

  private static let tables = [
    Migration(1, name: "numbers", sql: "CREATE TABLE numbers(value BIGINT NOT NULL UNIQUE, name TEXT) WITHOUT ROWID;")
  ]

  private let now = Date(timeIntervalSince1970: 1_780_000_000)
  private let server: PostgresServer
  private let name: String

  init() async throws {
    server = try await SharedPostgresServer.server
    name = try await server.makeDatabase()
  }

  /// Opens on a thread of its own, since opening blocks.
  private func open(
    _ migrations: [Migration] = tables, olderSchema: OlderSchema = .migrate, through proxy: PostgresProxy? = nil
  ) async throws -> PostgresDatabase {
    let (url, now) = (proxy?.url(name) ?? server.url(name), now)
    return try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            try PostgresDatabase.open(at: url, migrations: migrations, now: now, olderSchema: olderSchema)
          })
      }
    }
  }

  private func count(_ database: PostgresDatabase) async throws -> Int64? {
    try await database.read { try $0.row("SELECT count(*) AS count FROM numbers")?.integer("count") }
  }

  @Test("every migration of the store applies, and is known when the database is opened again")
  func migrations() async throws {
    let first = try await open(Migration.all)
    #expect(first.schemaChange == nil)
    await first.close()
    await (try open(Migration.all)).close()
  }

  @Test("an older schema is refused or brought forward, an altered migration is refused")
  func versions() async throws {
    await (try open()).close()
    let more = Self.tables + [Migration(2, name: "more", sql: "CREATE TABLE more(id INTEGER PRIMARY KEY, bytes BLOB);")]
    let error = await #expect(throws: DatabaseOpenError.self) { try await open(more, olderSchema: .refuse) }
    #expect(error?.isOlderVersion == true)
    let database = try await open(more)
    #expect(database.schemaChange == SchemaChange(from: 1, to: 2))
    let id = try await database.write { connection in
      try connection.row("INSERT INTO more(bytes) VALUES ($1) RETURNING id", [.blob([0, 255])])?.integer("id")
    }
    #expect(id == 1)
    await database.close()
    let altered = Migration(1, name: "numbers", sql: "CREATE TABLE numbers(value BIGINT);")
    await #expect(throws: DatabaseOpenError.alteredMigration(number: 1, name: "numbers")) { try await open([altered, more[1]]) }
  }

  @Test("a failing write among many leaves the others and none of its own")
  func isolation() async throws {
    let database = try await open()
    let successes = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          do {
            try await database.write { connection in
              try connection.execute("INSERT INTO numbers VALUES ($1, NULL)", [.integer(number)])
              if number.isMultiple(of: 3) { throw Refused() }
              if number.isMultiple(of: 5) {
                try connection.execute("INSERT INTO numbers VALUES ($1, $2)", [.integer(number), nil])
              }
            }
            return true
          } catch { return false }
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    let expected = (0..<200).count { !$0.isMultiple(of: 3) && !$0.isMultiple(of: 5) }
    #expect(successes == expected)
    #expect(try await count(database) == Int64(expected))
    await database.close()
  }

  @Test("what a write has read is still true when it commits, also with several processes")
  func oneWriter() async throws {
    let databases = [try await open(), try await open()]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask {
          try await databases[number % 2].write { connection in
            let last = try connection.row("SELECT coalesce(max(value), 0) AS last FROM numbers")?.integer("last") ?? 0
            try connection.execute("INSERT INTO numbers VALUES ($1, $2)", [.integer(last + 1), nil])
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await count(databases[0]) == 100)
    for database in databases { await database.close() }
  }

  @Test("a write whose connection the server ends runs again, and is committed once")
  func runsAgain() async throws {
    let database = try await open()
    let runs = Mutex(0)
    try await database.write { connection in
      try connection.execute("INSERT INTO numbers VALUES (1, 'once')")
      let run = runs.withLock { runs in
        runs += 1
        return runs
      }
      guard run == 1 else { return }
      try connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    }
    #expect(runs.withLock { $0 } == 2)
    #expect(try await count(database) == 1)
    await database.close()
  }

  @Test("a write whose answer to COMMIT is lost is not run again: its outcome is unknown, and the next write is well")
  func outcomeUnknown() async throws {
    let proxy = try PostgresProxy(to: server)
    let database = try await open(through: proxy)
    proxy.set(.losesAnswerToCommit)
    let error = await #expect(throws: StorageError.self) {
      try await database.write { try $0.execute("INSERT INTO numbers VALUES (1, NULL)") }
    }
    guard case .outcomeUnknown? = error else {
      Issue.record("expected an unknown outcome, but got \(String(describing: error))")
      return
    }
    #expect(database.writeFailure == error)
    proxy.set(.forwards)
    try await database.write { try $0.execute("INSERT INTO numbers VALUES (2, NULL)") }
    #expect(database.writeFailure == nil)
    #expect(try await count(database) == 2)
    await database.close()
  }

  @Test("values come back as they were written, and are ordered by their bytes")
  func values() async throws {
    let database = try await open()
    try await database.write { connection in
      for (number, name) in ["b", "B", "a", "ä"].enumerated() {
        try connection.execute("INSERT INTO numbers VALUES ($1, $2)", [.integer(number), .text(name)])
      }
      try connection.execute("INSERT INTO numbers VALUES ($1, $2)", [.integer(Int64.min), nil])
    }
    let names = try await database.read { connection in
      try connection.rows("SELECT name FROM numbers WHERE name IS NOT NULL ORDER BY name").map { try $0.text("name") }
    }
    #expect(names == ["B", "a", "b", "ä"])
    let sum = try await database.read { try $0.row("SELECT sum(value) AS sum FROM numbers WHERE value > 0")?.integer("sum") }
    #expect(sum == 6)
    let error = await #expect(throws: StorageError.self) {
      try await database.write { try $0.execute("INSERT INTO numbers VALUES (9, $1)", [.text("a\u{0}")]) }
    }
    #expect(error.map { "\($0)".contains("U+0000") } == true)
    await database.close()
  }

  @Test("writes of another process change the token")
  func changeToken() async throws {
    let (first, second) = (try await open(), try await open())
    let before = try await first.changeToken()
    try await second.write { try $0.execute("INSERT INTO numbers VALUES (1, NULL)") }
    #expect(try await first.changeToken() != before)
    await first.close()
    await second.close()
  }

  @Test("a closed database refuses writes")
  func closed() async throws {
    let database = try await open()
    await database.close()
    await #expect(throws: StorageError.closed) {
      try await database.write { try $0.execute("INSERT INTO numbers VALUES (1, NULL)") }
    }
  }
}
