import Foundation
import StoreBaseTestSupport
import StoreTestSupport
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreBase

@Suite("A write to PostgreSQL", .timeLimit(.minutes(5)))
struct PostgresWriteTests {
  private struct Refused: Error {}

  private let test: PostgresTestDatabase

  init() async throws { test = try await PostgresTestDatabase() }

  @Test("that fails among many leaves the others, and nothing of its own")
  func isolation() async throws {
    let database = try await test.open()
    let successes = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask { await succeeds { try await database.write { try Self.insert(number, in: $0) } } }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    let expected = (0..<200).count { !$0.isMultiple(of: 3) && !$0.isMultiple(of: 5) }
    #expect(successes == expected)
    let databaseCount = try await database.count()
    #expect(databaseCount == Int64(expected))
    await database.close()
  }

  /// Fails by itself for some numbers, and by the table's rule for others.
  private static func insert(_ number: Int, in connection: any SQLConnection) throws {
    try connection.execute("INSERT INTO numbers VALUES ($1, NULL)", [.integer(number)])
    if number.isMultiple(of: 3) { throw Refused() }
    if number.isMultiple(of: 5) { try connection.execute("INSERT INTO numbers VALUES ($1, NULL)", [.integer(number)]) }
  }

  @Test("that goes on after a failed statement fails alone, with that statement's error")
  func caughtError() async throws {
    let database = try await test.open()
    try await database.write { try $0.execute("INSERT INTO numbers VALUES (1, NULL)") }
    // One batch: both wait while the first holds the writer.
    let (isBusy, busy) = AsyncStream.makeStream(of: Void.self)
    let mayGoOn = DispatchSemaphore(value: 0)
    async let first: Void = database.write { _ in
      busy.finish()
      mayGoOn.wait()
    }
    for await _ in isBusy {}
    let caught = Task {
      try await database.write { connection in
        try connection.execute("INSERT INTO numbers VALUES (2, NULL)")
        _ = try? connection.execute("INSERT INTO numbers VALUES (1, NULL)")
      }
    }
    async let sound: Void = database.write { _ = try $0.execute("INSERT INTO numbers VALUES (3, NULL)") }
    let deadline = NamedDeadline("two waiting writes")
    while database.waitingWrites < 2 { try await deadline.next() }
    mayGoOn.signal()
    try await first
    try await sound
    await #expect(throws: StorageError.constraint("numbers_value_key")) { try await caught.value }
    let databaseCount = try await database.count()
    #expect(databaseCount == 2)
    await database.close()
  }

  @Test("sees what was committed before it, also by another process, until it is committed itself")
  func oneWriter() async throws {
    let databases = [try await test.open(), try await test.open()]
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
    let databaseCount = try await databases[0].count()
    #expect(databaseCount == 100)
    for database in databases { await database.close() }
  }

  @Test("whose connection the server ends runs again and is committed once, with the actions of its last run")
  func runsAgain() async throws {
    let database = try await test.open()
    let runs = Counter()
    let actions = Mutex<[Int]>([])
    try await database.write(at: Date(timeIntervalSince1970: 0)) { transaction in
      let run = runs.next()
      transaction.afterCommit { actions.withLock { $0.append(run) } }
      try transaction.execute("INSERT INTO numbers VALUES (1, 'once')", [])
      guard run == 1 else { return }
      try transaction.execute("SELECT pg_terminate_backend(pg_backend_pid())", [])
    }
    #expect(runs.last == 2)
    #expect(actions.withLock { $0 } == [2])
    let databaseCount = try await database.count()
    #expect(databaseCount == 1)
    #expect(database.writeFailure == nil)
    await database.close()
  }

  @Test("whose answer to COMMIT is lost is not run again: its outcome is unknown, and the next write is well")
  func outcomeUnknown() async throws {
    let proxy = try PostgresProxy(to: test.server)
    let database = try await test.open(through: proxy)
    let runs = Counter()
    proxy.set(.losesAnswerToCommit)
    let error = await #expect(throws: StorageError.self) {
      try await database.write { connection in
        _ = runs.next()
        try connection.execute("INSERT INTO numbers VALUES (1, NULL)")
      }
    }
    guard case .outcomeUnknown? = error else {
      Issue.record("expected an unknown outcome, but got \(String(describing: error))")
      return
    }
    #expect(runs.last == 1)
    #expect(database.writeFailure == error)
    proxy.set(.forwards)
    try await database.write { try $0.execute("INSERT INTO numbers VALUES (2, NULL)") }
    #expect(database.writeFailure == nil)
    let databaseCount = try await database.count()
    #expect(databaseCount == 2)
    await database.close()
  }

  @Test("after the server was lost counts one failover, and a database whose server stays counts none")
  func failovers() async throws {
    let proxy = try PostgresProxy(to: test.server)
    let database = try await test.open(through: proxy)
    try await database.write { try $0.execute("INSERT INTO numbers VALUES (1, NULL)") }
    #expect(database.connections == DatabaseConnections(open: 1, waitingReads: 0, failovers: 0))
    proxy.set(.losesAnswerToCommit)
    _ = try? await database.write { try $0.execute("INSERT INTO numbers VALUES (2, NULL)") }
    #expect(database.connections?.failovers == 0)
    proxy.set(.forwards)
    for number in 3...4 { try await database.write { try $0.execute("INSERT INTO numbers VALUES (\(number), NULL)") } }
    #expect(database.connections?.failovers == 1)
    await database.close()
  }

  @Test("that breaks a rule of a table fails as with SQLite; so does a change of the ledger, by its trigger")
  func constraints() async throws {
    let database = try await test.open(Migration.all)
    try await database.write { connection in
      try connection.execute(
        """
        INSERT INTO ledger(order_id, kind, debit, credit, amount, currency, created_at)
        VALUES ('1', 'sale', 'a', 'b', 1, 'EUR', 1)
        """)
    }
    let statements = [
      "UPDATE ledger SET amount = 2", "DELETE FROM ledger", "TRUNCATE ledger",
      "INSERT INTO ledger SELECT * FROM ledger", "INSERT INTO settings(name, value) VALUES ('a', NULL)",
    ]
    for statement in statements {
      let error = await #expect(throws: StorageError.self) { try await database.write { try $0.execute(statement) } }
      guard case .constraint? = error else {
        Issue.record("\(statement): expected a broken rule, but got \(String(describing: error))")
        continue
      }
    }
    await database.close()
  }

  @Test("is reported with its commit, which counts as written when it wrote something")
  func reports() async throws {
    let database = try await test.open()
    let reports = Mutex<[CommitReport]>([])
    database.observeCommits { report in reports.withLock { $0.append(report) } }
    try await database.write { _ = try $0.row("SELECT 1 AS one") }
    #expect(database.writtenCommits == 0)
    try await database.write { try $0.execute("INSERT INTO numbers VALUES (1, NULL)") }
    #expect(database.writtenCommits == 1)
    _ = try await database.write { connection in
      try connection.row("UPDATE numbers SET name = 'a' RETURNING value")?.integer("value")
    }
    #expect(database.writtenCommits == 2)
    // What is undone is not written.
    await #expect(throws: Refused.self) {
      try await database.write { connection in
        try connection.execute("INSERT INTO numbers VALUES (2, NULL)")
        throw Refused()
      }
    }
    #expect(database.writtenCommits == 2)
    let all = reports.withLock { $0 }
    #expect(all.map(\.writes) == [1, 1, 1, 1])
    #expect(all.map(\.isCommitted) == [true, true, true, true])
    await database.close()
  }
}

/// Counts runs.
private final class Counter: Sendable {
  private let count = Mutex(0)
  var last: Int { count.withLock { $0 } }

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}

private func succeeds(_ body: () async throws -> Void) async -> Bool {
  do {
    try await body()
    return true
  } catch { return false }
}
