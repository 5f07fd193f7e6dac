import Dispatch
import PostgresClient
import StoreTestSupport
import Testing

@testable import OnsideStore

@Suite("A read of PostgreSQL", .timeLimit(.minutes(5)))
struct PostgresReadTests {
  @Test("that a frozen server does not answer closes the other connections to it, and only those")
  func frozen() async throws {
    let test = try await PostgresTestDatabase()
    let proxy = try PostgresProxy(to: test.server)
    let pool = PostgresPool(
      try PostgresAddress(proxy.url(test.name)), settings: PostgresSettings(statementTimeout: .milliseconds(100)),
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
