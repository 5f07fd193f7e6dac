import Foundation
import StoreTestSupport
import Synchronization
import Testing

@testable import StoreBase

@Suite("SQLite", .timeLimit(.minutes(5)))
struct SQLiteDatabaseTests {
  private let folder: TemporaryFolder
  private let now = Date(timeIntervalSince1970: 1_780_000_000)
  private let tables = [
    Migration(1, name: "numbers", sql: "CREATE TABLE numbers(value BIGINT NOT NULL UNIQUE, name TEXT);")
  ]

  init() throws { folder = try TemporaryFolder() }

  private func open(_ migrations: [Migration]? = nil, name: String = "a.db") throws -> SQLiteDatabase {
    try SQLiteDatabase.open(at: folder.file(name), migrations: migrations ?? tables, now: now)
  }

  @Test("STO-2: every commit is flushed: synchronous is FULL on the writer")
  func flushes() async throws {
    let database = try open()
    let level = try await database.write { try $0.row("PRAGMA synchronous")?.integer("synchronous") }
    #expect(level == 2)
  }

  @Test("STO-2: what was written is there after the file is opened again")
  func persists() async throws {
    let database = try open()
    try await database.write { try $0.execute("INSERT INTO numbers VALUES ($1, $2)", [7, "seven"]) }
    await database.close()
    let row = try await open().read { try $0.row("SELECT value, name FROM numbers") }
    let integer = try row?.integer("value")
    #expect(integer == 7)
    let text = try row?.text("name")
    #expect(text == "seven")
  }

  @Test("Only the owner may read the file")
  func ownerOnly() async throws {
    _ = try open()
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("a.db"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("A failing write among many leaves the others and none of its own")
  func isolation() async throws {
    struct Refused: Error {}
    let database = try open()
    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          do {
            try await database.write { connection in
              try connection.execute("INSERT INTO numbers VALUES ($1, NULL)", [.integer(number)])
              if number.isMultiple(of: 3) { throw Refused() }
            }
            return true
          } catch { return false }
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    let kept = try await database.read { try $0.rows("SELECT value FROM numbers").map { try $0.integer("value") } }
    #expect(outcomes == 133)
    #expect(kept.count == 133)
    #expect(kept.allSatisfy { !$0.isMultiple(of: 3) })
  }

  @Test("Parameters are numbered as written, also out of order and repeated")
  func parameters() async throws {
    let row = try await open().read { try $0.row("SELECT $2 AS b, $1 AS a, $2 AS c", ["one", "two"]) }
    let text = try row?.text("a")
    #expect(text == "one")
    let secondText = try row?.text("b")
    #expect(secondText == "two")
    let thirdText = try row?.text("c")
    #expect(thirdText == "two")
  }

  @Test(
    "Every kind of value comes back as it was",
    arguments: [
      SQLValue.null, .integer(Int64.min), .integer(Int64.max), .text(""), .text("a\u{1}b \u{1F600}"), .blob([]),
      .blob([0, 255]),
    ])
  func values(value: SQLValue) async throws {
    let row = try await open().write { try $0.row("SELECT $1 AS value", [value]) }
    #expect(row?["value"] == value)
  }

  @Test("A text with U+0000 is refused as on PostgreSQL, which cannot keep it, and the rest of the write with it")
  func nullCharacter() async throws {
    let database = try open()
    for text in ["\u{0}", "a\u{0}", "\u{0}\u{1F600}"] {
      let refused = StorageError.invalidValue(
        sqlState: nil, message: "expected text without U+0000, but parameter $2 contains it")
      await #expect(throws: refused) {
        try await database.write { connection in
          try connection.execute("INSERT INTO numbers VALUES (1, NULL)")
          try connection.execute("INSERT INTO numbers VALUES ($1, $2)", [2, .text(text)])
        }
      }
    }
    let integer = try await database.read { try $0.row("SELECT count(*) AS n FROM numbers")?.integer("n") }
    #expect(integer == 0)
  }

  @Test("A broken rule of a table is told as such")
  func constraint() async throws {
    let database = try open()
    try await database.write { try $0.execute("INSERT INTO numbers VALUES (1, NULL)") }
    let error = await #expect(throws: StorageError.self) {
      try await database.write { try $0.execute("INSERT INTO numbers VALUES (1, NULL)") }
    }
    guard case .constraint = error else {
      Issue.record("expected .constraint, got \(String(describing: error))")
      return
    }
  }

  @Test("STO-4: a full disk is told as such, keeps nothing of the write, and goes on when there is room")
  func fullDisk() async throws {
    let database = try open()
    let big = SQLValue.blob([UInt8](repeating: 1, count: 100_000))
    let pages: Int64 = try await database.write { connection in
      try connection.execute("CREATE TABLE big(value BLOB)")
      return try connection.row("PRAGMA page_count")?.integer("page_count") ?? 0
    }
    try await database.write { _ = try $0.rows("PRAGMA max_page_count = \(pages + 5)") }
    await #expect(throws: StorageError.full) {
      try await database.write { connection in
        try connection.execute("INSERT INTO numbers VALUES (5, NULL)")
        try connection.execute("INSERT INTO big VALUES ($1)", [big])
      }
    }
    let none = try await database.read { try $0.rows("SELECT value FROM numbers") }
    #expect(none.isEmpty)
    try await database.write { _ = try $0.rows("PRAGMA max_page_count = 100000") }
    try await database.write { try $0.execute("INSERT INTO big VALUES ($1)", [big]) }
  }

  @Test("A write that changes nothing succeeds on a full disk, and proves nothing: the failure is remembered")
  func emptyWrite() async throws {
    let database = try open()
    try await database.write { try $0.execute("CREATE TABLE big(value BLOB)") }
    let (pages, written): (Int64, Int) = (
      try await database.read { try $0.row("PRAGMA page_count")?.integer("page_count") ?? 0 }, database.writtenCommits
    )
    #expect(written == 1)
    try await database.write { _ = try $0.rows("PRAGMA max_page_count = \(pages)") }
    await #expect(throws: StorageError.full) {
      try await database.write { try $0.execute("INSERT INTO big VALUES (zeroblob(100000))") }
    }
    try await database.write { _ = try $0.rows("SELECT value FROM numbers") }
    #expect(database.writeFailure == .full && database.writtenCommits == written)
    try await database.write { _ = try $0.rows("PRAGMA max_page_count = 100000") }
    try await database.write { try $0.execute("INSERT INTO numbers VALUES (1, NULL)") }
    #expect(database.writeFailure == nil && database.writtenCommits == written + 1)
  }

  @Test("STO-10: the last to close leaves everything in the one file; a copy of it alone is whole")
  func closesIntoOneFile() async throws {
    let (first, second) = (try open(), try open())
    try await first.write { try $0.execute("INSERT INTO numbers VALUES (1, NULL)") }
    _ = try await first.read { try $0.rows("SELECT value FROM numbers") }
    await first.close()
    try await second.write { try $0.execute("INSERT INTO numbers VALUES (2, NULL)") }
    _ = try await second.read { try $0.rows("SELECT value FROM numbers") }
    await second.close()
    try FileManager.default.copyItem(atPath: folder.file("a.db"), toPath: folder.file("b.db"))
    let kept = try await open(nil, name: "b.db").read { try $0.rows("SELECT value FROM numbers").count }
    #expect(kept == 2)
  }

  @Test("Clearing what was deleted waits for no writer, and no writer waits for it")
  func clearDeletedBesideWriter() async throws {
    let database = try open()
    let (began, begins) = AsyncStream.makeStream(of: Void.self)
    let cleared = DispatchSemaphore(value: 0)
    let writing = Task {
      try await database.write { connection in
        try connection.execute("INSERT INTO numbers VALUES (1, NULL)")
        begins.yield()
        return cleared.wait(timeout: .now() + 60) == .success
      }
    }
    for await _ in began { break }
    let clearDeleted = try await database.clearDeleted()
    #expect(clearDeleted == false)
    cleared.signal()
    #expect(try await writing.value, "it was not cleared before the write was done")
    #expect(try await database.clearDeleted())
    let log = try FileManager.default.attributesOfItem(atPath: folder.file("a.db-wal"))[.size] as? Int
    #expect(log == 0)
  }

  @Test("What has served its time is deleted in pieces, each a write of its own")
  func retention() async throws {
    let database = try open()
    try await database.write { connection in
      for number in 0..<450 { try connection.execute("INSERT INTO numbers VALUES ($1, NULL)", [.integer(number)]) }
    }
    let pieces = Pieces()
    try await database.inPieces { connection in
      let count = try connection.deleteSome(from: "numbers", where: "value < $1", [440], key: "value")
      pieces.counts.withLock { $0.append(count) }
      return count
    }
    #expect(pieces.counts.withLock { $0 } == [200, 200, 40])
    let kept = try await database.read { try $0.rows("SELECT value FROM numbers").count }
    #expect(kept == 10)
  }

  private final class Pieces: Sendable {
    let counts = Mutex<[Int]>([])
  }

  @Test("STO-10: closing commits what was accepted and refuses the rest")
  func closes() async throws {
    let database = try open()
    let accepted = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<100 {
        group.addTask {
          do {
            try await database.write { try $0.execute("INSERT INTO numbers VALUES ($1, NULL)", [.integer(number)]) }
            return true
          } catch { return false }
        }
      }
      group.addTask {
        await database.close()
        return false
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    await #expect(throws: StorageError.closed) { try await database.write { try $0.execute("SELECT 1") } }
    let kept = try await open().read { try $0.row("SELECT count(*) AS count FROM numbers")?.integer("count") }
    #expect(kept == Int64(accepted))
  }
}
