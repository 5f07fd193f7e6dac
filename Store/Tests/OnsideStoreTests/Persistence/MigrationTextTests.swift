import Foundation
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase

@Suite("The migrations' texts for both engines", .timeLimit(.minutes(2)))
struct MigrationTextTests {
  @Test("Both texts make the same columns, of the same types, and PostgreSQL compares text by its bytes")
  func columns() async throws {
    let folder = try TemporaryFolder()
    let database = try SQLiteDatabase.open(at: folder.file("store.db"), now: Date(timeIntervalSince1970: 0))
    let expected = try await database.read { try PostgresTables(sqlite: $0) }
    await database.close()
    var tables = PostgresTables()
    for migration in Migration.all.sorted(by: { $0.number < $1.number }) { tables.run(migration.postgres) }
    #expect(Set(tables.columns.keys) == Set(expected.columns.keys))
    for (table, columns) in expected.columns { #expect(tables.columns[table] == columns, "table \(table)") }
  }

  @Test("A text for PostgreSQL has no words that only SQLite knows")
  func words() {
    for migration in Migration.all {
      for word in ["WITHOUT ROWID", "BLOB", "AUTOINCREMENT", "INTEGER PRIMARY KEY", "RAISE(", "json_", "STRICT"] {
        #expect(!migration.postgres.contains(word), "migration \(migration.number)")
      }
    }
  }
}

/// The tables of PostgreSQL that some statements make. It knows the forms of statements that the migrations use.
private struct PostgresTables {
  struct Column: Hashable {
    var type: String
    var isRequired: Bool
  }

  /// The columns of each table.
  var columns: [String: [String: Column]] = [:]

  init() {}

  /// The tables that a store's SQLite database has, with PostgreSQL's types.
  init(sqlite connection: any SQLConnection) throws {
    let types = ["TEXT": "TEXT COLLATE \"C\"", "BIGINT": "BIGINT", "INTEGER": "BIGINT", "BLOB": "BYTEA"]
    for table in try connection.dataTables() {
      for row in try connection.rows("SELECT name, type, \"notnull\", pk FROM pragma_table_info('\(table)')") {
        let isRequired = try row.integer("notnull") != 0 || row.integer("pk") != 0
        columns[table, default: [:]][try row.text("name")] = Column(
          type: types[try row.text("type")] ?? "none", isRequired: isRequired)
      }
    }
  }

  mutating func run(_ text: String) {
    for statement in text.split(separator: ";") {
      if let match = statement.firstMatch(of: /(?s)CREATE TABLE (\w+)\s*\((.*)\)/) {
        for part in Self.parts(of: match.2) { add(part, to: String(match.1)) }
      } else if let match = statement.firstMatch(of: /ALTER TABLE (\w+) ADD COLUMN (.*)/) {
        add(String(match.2), to: String(match.1))
      } else if let match = statement.firstMatch(of: /ALTER TABLE (\w+) ALTER COLUMN (\w+) DROP NOT NULL/) {
        columns[String(match.1)]?[String(match.2)]?.isRequired = false
      } else if let match = statement.firstMatch(of: /ALTER TABLE (\w+) DROP COLUMN (\w+)/) {
        columns[String(match.1)]?[String(match.2)] = nil
      } else if let match = statement.firstMatch(of: /DROP TABLE (\w+)/) {
        columns[String(match.1)] = nil
      }
    }
  }

  /// Adds what one part of a table's definition says: a column, or a rule of the table.
  private mutating func add(_ part: String, to table: String) {
    if let key = part.wholeMatch(of: /PRIMARY KEY ?\((.*)\)/) {
      for name in key.1.split(separator: ", ") { columns[table]?[String(name)]?.isRequired = true }
    } else if let column = part.wholeMatch(of: /(?s)(\w+) (TEXT COLLATE "C"|\w+)(.*)/) {
      let isRequired = column.3.contains("NOT NULL") || column.3.contains("PRIMARY KEY")
      columns[table, default: [:]][String(column.1)] = Column(type: String(column.2), isRequired: isRequired)
    }
  }

  /// The parts between the outer commas.
  private static func parts(of text: Substring) -> [String] {
    var (parts, depth) = ([""], 0)
    for character in text {
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      if character == ",", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
    }
    return parts.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
  }
}
