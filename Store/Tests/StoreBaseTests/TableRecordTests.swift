import Foundation
import StoreTestSupport
import Testing

@testable import StoreBase

@Suite("A record of a table", .timeLimit(.minutes(5)))
struct TableRecordTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private struct NoteColumns: TableRecord {
    static let table = "notes"
    static let expressions = ["read_at": "coalesce(read_at, $)"]

    var content: String?
    var seconds: TimeInterval

    private var date: Date { Date(timeIntervalSince1970: seconds) }

    var key: Columns { ["shelf": "top", "number": 7] }
    var fixed: Columns { ["made_at": .date(date)] }
    var mutable: Columns { ["content": .text(content)] }
    var updated: Columns { ["read_at": .date(date)] }
  }

  @Test("names its columns in each statement, whose text stays the same")
  func texts() throws {
    let statements = StatementList()
    for number in 1...2 {
      let note = NoteColumns(content: nil, seconds: Double(number))
      try note.insert(in: statements)
      _ = try note.insertIfAbsent(in: statements)
      try note.save(in: statements)
      try note.update(in: statements)
    }
    let insert = "INSERT INTO notes(shelf, number, made_at, content) VALUES ($1, $2, $3, $4)"
    let expected = [
      insert, "\(insert) ON CONFLICT(shelf, number) DO NOTHING",
      "\(insert) ON CONFLICT(shelf, number) DO UPDATE SET content = excluded.content",
      "UPDATE notes SET content = $1, read_at = coalesce(read_at, $2) WHERE shelf = $3 AND number = $4",
    ]
    #expect(statements.texts == expected + expected)
    let values: [SQLValue] = [nil, 2000, "top", 7]
    #expect(statements.lastValues == values)
  }

  @Test("writes its mutable columns to the row with its key, and leaves the fixed ones")
  func writes() async throws {
    let notes = Migration(
      1, name: "notes",
      sql: """
        CREATE TABLE notes(
          shelf TEXT NOT NULL, number BIGINT NOT NULL, made_at BIGINT NOT NULL, content TEXT, read_at BIGINT,
          PRIMARY KEY(shelf, number));
        """)
    let database = try SQLiteDatabase.open(
      at: folder.file("a.db"), migrations: [notes], now: Date(timeIntervalSince1970: 1_780_000_000))
    let inserted = try await database.write { connection in
      try (1...2).map { try NoteColumns(content: "first", seconds: Double($0)).insertIfAbsent(in: connection) }
    }
    #expect(inserted == [true, false])
    try await database.write { connection in
      try NoteColumns(content: "second", seconds: 3).save(in: connection)
      for number in 4...5 { try NoteColumns(content: nil, seconds: Double(number)).update(in: connection) }
    }
    let rows = try await database.read { try $0.rows("SELECT content, made_at, read_at FROM notes") }
    let values: [SQLValue] = [nil, 1000, 4000]
    #expect(rows.map { $0.fields.map(\.value) } == [values])
  }
}

/// A connection that remembers statements and runs none.
private final class StatementList: SQLConnection {
  private(set) var texts: [String] = []
  private(set) var lastValues: [SQLValue] = []

  func execute(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> Int {
    texts.append(sql)
    lastValues = arguments
    return 1
  }

  func rows(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> [SQLRow] { [] }

  func tableNames() throws(StorageError) -> [String] { [] }

  func databaseIdentity() throws(StorageError) -> String? { nil }
}
