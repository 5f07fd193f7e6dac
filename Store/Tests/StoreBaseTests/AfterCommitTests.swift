import Foundation
import GRDB
import StoreTestSupport
import Synchronization
import Testing

@testable import StoreBase

@Suite("After a commit", .timeLimit(.minutes(5)))
struct AfterCommitTests {
  private struct Refused: Error {}

  /// Notes what has run.
  private final class Notes: Sendable {
    private let notes = Mutex<[String]>([])
    var all: [String] { notes.withLock { $0 } }
    func add(_ note: String) { notes.withLock { $0.append(note) } }
  }

  /// Fails inside the transaction, or after its commit.
  private final class FailingHook: CommitHook {
    private let isLate: Bool
    init(isLate: Bool) { self.isLate = isLate }

    func takePart(in connection: any SQLConnection) throws -> @Sendable () throws -> Void {
      guard isLate else { throw StorageError.full }
      return { throw StorageError.full }
    }
  }

  private let folder: TemporaryFolder
  private let database: SQLiteDatabase
  private let now = Date(timeIntervalSince1970: 1_780_000_000)

  init() throws {
    folder = try TemporaryFolder()
    let tables = [Migration(1, name: "numbers", sql: "CREATE TABLE numbers(value BIGINT NOT NULL);")]
    database = try SQLiteDatabase.open(at: folder.file("a.db"), migrations: tables, now: now)
  }

  @Test("An action runs once, when others can read what was written, and before the writer goes on")
  func once() async throws {
    let (notes, path) = (Notes(), folder.file("a.db"))
    try await database.write(at: now) { transaction in
      try transaction.execute("INSERT INTO numbers VALUES (7)", [])
      for name in ["first", "second"] {
        transaction.afterCommit {
          let queue = try? SQLiteDatabase.reader(path)
          let count = try? queue?.read { try SQLiteConnection(database: $0).rows("SELECT value FROM numbers").count }
          notes.add("\(name): \(count ?? 0)")
        }
      }
      #expect(notes.all.isEmpty)
    }
    #expect(notes.all == ["first: 1", "second: 1"])
  }

  @Test("No action of a write that is rolled back runs, and those of the writes beside it do")
  func rolledBack() async throws {
    let (notes, database, now) = (Notes(), database, now)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask {
          _ = try? await database.write(at: now) { transaction in
            transaction.afterCommit { notes.add("\(number)") }
            try transaction.execute("INSERT INTO numbers VALUES ($1)", [.integer(number)])
            if number.isMultiple(of: 3) { throw Refused() }
          }
        }
      }
    }
    #expect(Set(notes.all) == Set((0..<100).filter { !$0.isMultiple(of: 3) }.map(String.init)))
    #expect(notes.all.count == 66)
  }

  @Test("No action runs when the commit hook fails", arguments: [false, true])
  func failingHook(isLate: Bool) async throws {
    let notes = Notes()
    await #expect(throws: StorageError.full) {
      try await database.write(at: now, beside: FailingHook(isLate: isLate)) { transaction in
        transaction.afterCommit { notes.add("ran") }
        try transaction.execute("INSERT INTO numbers VALUES (1)", [])
      }
    }
    #expect(notes.all.isEmpty)
  }

  @Test("No action runs in a read")
  func read() async throws {
    let notes = Notes()
    try await database.read(at: now) { transaction in transaction.afterCommit { notes.add("ran") } }
    #expect(notes.all.isEmpty)
  }
}
