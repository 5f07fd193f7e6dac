import Foundation
import StoreTestSupport
import Synchronization
import Testing

@testable import StoreBase

@Suite("Before a commit", .timeLimit(.minutes(5)))
struct BeforeCommitTests {
  private struct Refused: Error {}

  /// Notes what has run.
  private final class Notes: Sendable {
    private let notes = Mutex<[String]>([])
    var all: [String] { notes.withLock { $0 } }
    func add(_ note: String) { notes.withLock { $0.append(note) } }
  }

  private let folder: TemporaryFolder
  private let database: SQLiteDatabase
  private let now = Date(timeIntervalSince1970: 1_780_000_000)

  init() throws {
    folder = try TemporaryFolder()
    let tables = [Migration(1, name: "numbers", sql: "CREATE TABLE numbers(value BIGINT NOT NULL);")]
    database = try SQLiteDatabase.open(at: folder.file("a.db"), migrations: tables, now: now)
  }

  private func numbers() async throws -> [Int64] {
    try await database.read {
      try $0.rows("SELECT value FROM numbers ORDER BY value", []).map { try $0.integer("value") }
    }
  }

  @Test("The first action of each key runs once, after the body, and its writes are committed")
  func once() async throws {
    let notes = Notes()
    try await database.write(at: now) { transaction in
      for name in ["first", "second"] {
        try transaction.beforeCommit("a") {
          notes.add(name)
          try $0.execute("INSERT INTO numbers VALUES (7)", [])
        }
      }
      try transaction.beforeCommit("b") { _ in notes.add("other") }
      notes.add("body")
    }
    #expect(notes.all == ["body", "first", "other"])
    let numbers = try await numbers()
    #expect(numbers == [7])
  }

  @Test("An action registers others, which run after all earlier ones, also with the key of one that has begun")
  func further() async throws {
    let notes = Notes()
    try await database.write(at: now) { transaction in
      try transaction.beforeCommit("a") {
        notes.add("a")
        try $0.beforeCommit("c") { _ in notes.add("c") }
      }
      try transaction.beforeCommit("b") {
        notes.add("b")
        try $0.beforeCommit("c") { _ in notes.add("second c") }
        try $0.beforeCommit("a") { _ in notes.add("second a") }
      }
    }
    #expect(notes.all == ["a", "b", "c", "second a"])
  }

  @Test("An action has the time of the transaction that registered it")
  func time() async throws {
    let notes = Notes()
    try await database.write(at: now) { transaction in
      try transaction.ahead(byMilliseconds: 5000).beforeCommit("a") {
        notes.add("\(Int($0.now.timeIntervalSince($0.storeNow)))")
      }
      try transaction.beforeCommit("b") { notes.add("\(Int($0.now.timeIntervalSince($0.storeNow)))") }
    }
    #expect(notes.all == ["5", "0"])
  }

  @Test("An error of an action rolls the write back, and no action after the commit runs")
  func failure() async throws {
    let notes = Notes()
    await #expect(throws: Refused.self) {
      try await database.write(at: now) { transaction in
        try transaction.execute("INSERT INTO numbers VALUES (1)", [])
        transaction.afterCommit { notes.add("after") }
        try transaction.beforeCommit("a") { _ in throw Refused() }
      }
    }
    let numbers = try await numbers()
    #expect(numbers.isEmpty && notes.all.isEmpty)
  }

  @Test("No action of a failed body runs")
  func failedBody() async throws {
    let notes = Notes()
    await #expect(throws: Refused.self) {
      try await database.write(at: now) { transaction in
        try transaction.beforeCommit("a") { _ in notes.add("ran") }
        throw Refused()
      }
    }
    #expect(notes.all.isEmpty)
  }

  @Test("An action of a transaction without collected actions runs at once")
  func direct() async throws {
    let (notes, now) = (Notes(), now)
    try await database.write { connection in
      try StoreTransaction(connection, at: now).beforeCommit("a") { _ in notes.add("action") }
      notes.add("body")
    }
    #expect(notes.all == ["action", "body"])
  }
}
