import Foundation
import PostgresClient
import StoreTestSupport
import Synchronization
import Testing

@Suite("A pool of connections", .timeLimit(.minutes(5)))
struct PoolTests {
  private struct NotANumber: Error {}

  private func process(_ pool: PostgresPool) async throws -> PostgresValue? {
    try await pool.run { try $0.value("SELECT pg_backend_pid()") }
  }

  @Test("uses a connection again, and rolls back what was left open in it")
  func reuse() async throws {
    let pool = PostgresPool(try await TestDatabase().address)
    let first = try await process(pool)
    try await pool.run { connection throws in
      try connection.begin()
      try connection.query("CREATE TABLE t(a int8)")
    }
    let actualProcess = try await process(pool)
    #expect(actualProcess == first)
    let outcome = try await pool.run { try $0.value("SELECT to_regclass('t')::text") }
    #expect(outcome == .null)
    await pool.close()
  }

  @Test("runs work on several connections at a time, and no more than its limit; the rest waits for its turn")
  func concurrency() async throws {
    let pool = PostgresPool(try await TestDatabase().address, limits: .init(connections: 3, patience: .seconds(120)))
    let processes = try await withThrowingTaskGroup(of: PostgresValue?.self) { group in
      let together = Meeting(of: 3)
      for _ in 0..<24 {
        group.addTask {
          try await pool.run { connection in
            together.arrive()
            return try connection.value("SELECT pg_backend_pid()")
          }
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(processes.count == 3 && !processes.contains(nil))
    await pool.close()
  }

  @Test("refuses work when each connection stays in use, and when too much waits")
  func exhausted() async throws {
    let pool = PostgresPool(
      try await TestDatabase().address, limits: .init(connections: 1, waiting: 1, patience: .milliseconds(50)))
    let (began, hasBegun) = AsyncStream.makeStream(of: Void.self)
    let mayEnd = DispatchSemaphore(value: 0)
    let busy = Task {
      try await pool.run { _ in
        hasBegun.finish()
        #expect(mayEnd.wait(timeout: .now() + 120) == .success)
      }
    }
    for await _ in began {}
    async let one = Result { try await process(pool) }
    async let two = Result { try await process(pool) }
    for result in [await one, await two] {
      let error = #expect(throws: PostgresError.self) { try result.get() }
      #expect(error?.kind == .poolExhausted)
    }
    let full = PostgresPool(
      try await TestDatabase().address, limits: .init(connections: 1, waiting: 0, patience: .seconds(120)))
    let (alsoBegan, hasAlsoBegun) = AsyncStream.makeStream(of: Void.self)
    let alsoBusy = Task {
      try await full.run { _ in
        hasAlsoBegun.finish()
        #expect(mayEnd.wait(timeout: .now() + 120) == .success)
      }
    }
    for await _ in alsoBegan {}
    let refused = await #expect(throws: PostgresError.self) { try await process(full) }
    #expect(refused?.kind == .poolExhausted && refused?.message.contains("wait already") == true)
    for _ in 1...2 { mayEnd.signal() }
    try await alsoBusy.value
    await full.close()
    try await busy.value
    let actualProcess = try await process(pool)
    #expect(actualProcess != nil)
    await pool.close()
  }

  @Test("opens new connections after all were closed, also for one that was in use meanwhile")
  func closeAll() async throws {
    let pool = PostgresPool(try await TestDatabase().address, limits: .init(connections: 1))
    let first = try await process(pool)
    pool.closeAll()
    let second = try await process(pool)
    #expect(second != first)
    let third = try await pool.run { connection throws in
      pool.closeAll()
      return try connection.value("SELECT pg_backend_pid()")
    }
    #expect(third == second)
    let actualProcess = try await process(pool)
    #expect(actualProcess != second)
    await pool.close()
  }

  @Test("opens a new connection when the server has ended the old one")
  func endedByServer() async throws {
    let database = try await TestDatabase()
    let pool = PostgresPool(try database.address, limits: .init(connections: 1))
    guard case .integer(let first) = try await process(pool) else { throw NotANumber() }
    try await database.connected { connection throws in
      let ended = try connection.value("SELECT pg_terminate_backend($1::int4, 60000)", [.integer(first)])
      #expect(ended == .bool(true))
    }
    let actualProcess = try await process(pool)
    #expect(actualProcess != .integer(first))
    await pool.close()
  }

  @Test("that is closed has ended its connections and refuses work")
  func closed() async throws {
    let database = try await TestDatabase()
    let pool = PostgresPool(try database.address)
    _ = try await process(pool)
    await pool.close()
    let error = await #expect(throws: PostgresError.self) { try await process(pool) }
    #expect(error?.kind == .shutDown)
  }

  @Test("tells work why it cannot connect")
  func unreachable() async throws {
    let pool = PostgresPool(try PostgresAddress("postgres://me@%2Ftmp%2Fnowhere/store"))
    let error = await #expect(throws: PostgresError.self) { try await process(pool) }
    #expect(error?.kind == .unreachable)
    await pool.close()
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}

/// Holds each arrival until so many have come, or for a minute.
private final class Meeting: Sendable {
  private let count: Int
  private let arrived = Mutex(0)
  private let isComplete = DispatchSemaphore(value: 0)

  init(of count: Int) { self.count = count }

  func arrive() {
    let number = arrived.withLock { arrived in
      arrived += 1
      return arrived
    }
    if number == count { for _ in 1..<count { isComplete.signal() } }
    if number < count { _ = isComplete.wait(timeout: .now() + 60) }
  }
}
