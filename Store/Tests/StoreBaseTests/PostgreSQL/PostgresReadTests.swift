import Dispatch
import Foundation
import PostgresClient
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import StoreBase

@Suite("A read of PostgreSQL", .timeLimit(.minutes(5)))
struct PostgresReadTests {
  @Test("that a frozen server does not answer closes the other connections to it, and only those")
  func frozen() async throws {
    let test = try await PostgresTestDatabase()
    let proxy = try PostgresProxy(to: test.server)
    let pool = PostgresPool(
      try PostgresAddress(proxy.url(test.name)), settings: PostgresSettings(statementTimeout: .seconds(3)),
      limits: .init(connections: 2))
    let old = try await sessions(of: pool)
    #expect(old.count == 2)
    proxy.set(.isSilent)
    let read = PostgresRead(pool)
    let error = await #expect(throws: StorageError.self) { try await read.run { try $0.row("SELECT 1 AS one") } }
    guard case .unreachable? = error else {
      Issue.record("expected an unreachable server, but got \(String(describing: error))")
      return
    }
    proxy.set(.forwards)
    let new = try await sessions(of: pool)
    #expect(new.count == 2 && new.isDisjoint(with: old))
    await pool.close()
  }

  @Test("STO-12: goes to the new primary once the process knows it, as a write does, though the old one answers")
  func replaced() async throws {
    let old = try await PostgresServer(flushes: false)
    let new = try await PostgresServer(flushes: false, timeline: 5)
    let place = "postgres:///postgres?user=\(PostgresServer.user)&host="
    let database = try await open("\(place)\(old.socketFolder),\(new.socketFolder)")
    let successor = try await open("\(place)\(new.socketFolder)")
    let actualFolder = try await folder(database)
    #expect(actualFolder == old.socketFolder)
    try await add(1, to: database)
    // As when the old one is away for a while.
    let address = try PostgresAddress("\(place)\(new.socketFolder)")
    try await onThread { [timeline = database.timeline] in try PostgresConnection(address, timeline: timeline).close() }
    let secondFolder = try await folder(database)
    #expect(secondFolder == new.socketFolder)
    try await add(2, to: database)
    let successorCount = try await successor.count()
    #expect(successorCount == 1)
    await database.close()
    await successor.close()
  }

  private func open(_ url: String) async throws -> PostgresDatabase {
    try await onThread {
      try PostgresDatabase.open(at: url, migrations: PostgresTestDatabase.numbers, now: Date(timeIntervalSince1970: 0))
    }
  }

  private func folder(_ database: PostgresDatabase) async throws -> String? {
    try await database.read {
      try $0.row("SELECT current_setting('unix_socket_directories') AS folder")?.text("folder")
    }
  }

  private func add(_ number: Int64, to database: PostgresDatabase) async throws {
    try await database.write(beside: nil) {
      try $0.execute("INSERT INTO numbers(value) VALUES ($1)", [.integer(number)])
    }
  }

  /// The server's processes for both connections of a pool, which are in use at the same time.
  private func sessions(of pool: PostgresPool) async throws -> Set<Int64> {
    let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    async let one = session(of: pool, telling: first, awaiting: second)
    async let other = session(of: pool, telling: second, awaiting: first)
    return try await [one, other]
  }

  private func session(
    of pool: PostgresPool, telling own: DispatchSemaphore, awaiting other: DispatchSemaphore
  ) async throws -> Int64 {
    try await PostgresRead(pool).run { connection in
      let id = try connection.row("SELECT pg_backend_pid() AS id")?.integer("id")
      own.signal()
      guard other.wait(timeout: .now() + 60) == .success else { throw StorageError.busy }
      return try #require(id)
    }
  }
}
