import Foundation
import StoreTestSupport
import Synchronization
import Testing

@testable import StoreBase

@Suite("A commit commitHook", .timeLimit(.minutes(5)))
struct CommitHookTests {
  /// Counts its parts in the table of the test.
  private final class RecordingCommitHook: CommitHook {
    let name: String
    private let result: Result<Void, StorageError>
    private let ended = Mutex<Int>(0)

    init(_ name: String = "commitHook", result: Result<Void, StorageError> = .success(())) {
      self.name = name
      self.result = result
    }

    var endings: Int { ended.withLock { $0 } }

    func takePart(in connection: any SQLConnection) throws -> @Sendable () throws -> Void {
      try connection.execute("INSERT INTO parts VALUES ($1)", [.text(name)])
      return { [self] in
        ended.withLock { $0 += 1 }
        try result.get()
      }
    }
  }

  private struct Refused: Error {}

  private let folder: TemporaryFolder
  private let database: SQLiteDatabase

  init() throws {
    folder = try TemporaryFolder()
    let tables = [
      Migration(
        1, name: "parts", sql: "CREATE TABLE numbers(value BIGINT NOT NULL); CREATE TABLE parts(name TEXT NOT NULL);")
    ]
    database = try SQLiteDatabase.open(
      at: folder.file("a.db"), migrations: tables, now: Date(timeIntervalSince1970: 1_780_000_000))
  }

  private func count(_ table: String) async throws -> Int64? {
    try await database.read { try $0.row("SELECT count(*) AS count FROM \(table)")?.integer("count") }
  }

  @Test("takes part in every commit once, however many writes share it, and ends before they are told")
  func once() async throws {
    let (database, commitHook) = (database, RecordingCommitHook())
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<300 {
        group.addTask {
          try await database.write(beside: commitHook) {
            try $0.execute("INSERT INTO numbers VALUES ($1)", [.integer(Int64(number))])
          }
          return commitHook.endings
        }
      }
      for try await endings in group { #expect(endings > 0) }
    }
    let parts = try await count("parts")
    let actualCount = try await count("numbers")
    #expect(actualCount == 300)
    #expect(parts == Int64(commitHook.endings))
    #expect(commitHook.endings < 300, "some have shared a commit")
  }

  @Test("has no part in a commit of others, nor in one where its writers failed")
  func none() async throws {
    let commitHook = RecordingCommitHook()
    try await database.write { try $0.execute("INSERT INTO numbers VALUES (1)") }
    await #expect(throws: Refused.self) {
      try await database.write(beside: commitHook) { _ in throw Refused() }
    }
    #expect(commitHook.endings == 0)
    let actualCount = try await count("parts")
    #expect(actualCount == 0)
  }

  @Test("that fails after the commit fails only its own writers; all writes stay")
  func failsAfter() async throws {
    let (database, bad, good) = (
      database, RecordingCommitHook("bad", result: .failure(.full)), RecordingCommitHook("good")
    )
    let failures = await withTaskGroup(of: (Int, (any Error)?).self) { group in
      for number in 0..<90 {
        group.addTask {
          let commitHook = [nil, bad, good][number % 3]
          do {
            try await database.write(beside: commitHook) {
              try $0.execute("INSERT INTO numbers VALUES ($1)", [.integer(Int64(number))])
            }
            return (number, nil)
          } catch { return (number, error) }
        }
      }
      return await group.reduce(into: [Int: any Error]()) { $0[$1.0] = $1.1 }
    }
    #expect(failures.count == 30)
    #expect(failures.allSatisfy { $0.key % 3 == 1 && $0.value as? StorageError == .full })
    let actualCount = try await count("numbers")
    #expect(actualCount == 90)
  }

  @Test("that fails before the commit undoes it")
  func failsBefore() async throws {
    try await database.write { try $0.execute("DROP TABLE parts") }
    await #expect(throws: StorageError.self) {
      try await database.write(beside: RecordingCommitHook()) { try $0.execute("INSERT INTO numbers VALUES (1)") }
    }
    let actualCount = try await count("numbers")
    #expect(actualCount == 0)
  }

  @Test("that fails before the commit also fails a write that was refused for a row of the undone commit")
  func refusedForUndoneRow() async throws {
    try await database.write { try $0.execute("DROP TABLE parts") }
    let (isBusy, busy) = AsyncStream.makeStream(of: Void.self)
    let mayGoOn = DispatchSemaphore(value: 0)
    async let first: Void = database.write { _ in
      busy.finish()
      mayGoOn.wait()
    }
    for await _ in isBusy {}
    let deadline = NamedDeadline("waiting writes")
    let undone = Task { [database] in
      try await database.write(beside: RecordingCommitHook()) { _ = try $0.execute("INSERT INTO numbers VALUES (1)") }
    }
    while database.waitingWrites < 1 { try await deadline.next() }
    let refused = Task { [database] in
      try await database.write { connection in
        if try connection.row("SELECT value FROM numbers") != nil { throw Refused() }
      }
    }
    while database.waitingWrites < 2 { try await deadline.next() }
    mayGoOn.signal()
    try await first
    await #expect(throws: StorageError.self) { try await undone.value }
    await #expect(throws: StorageError.self) { try await refused.value }
  }
}
