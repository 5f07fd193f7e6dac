import PostgresClient
import StoreBase

/// The tables of the SQLite database that is moved.
struct MoveSource {
  /// How many rows with U+0000 are named for each column.
  private static let namedRows = 5

  let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// Every table but that of the migrations, which the target has of its own, with its columns.
  func tables() throws -> [String: [String]] {
    try connection.dataTables().reduce(into: [:]) { tables, name in
      tables[name] = try connection.rows("SELECT name FROM pragma_table_info('\(name)')").map { try $0.text("name") }
    }
  }

  /// Refuses texts with U+0000, which PostgreSQL cannot keep, and names their rows.
  func requireNoNullCharacters(in tables: [MoveTable]) throws {
    var places: [String] = []
    for table in tables {
      let key = try key(of: table.name)
      for column in table.columns where column.type == .text {
        let rows = try connection.rows(
          """
          SELECT \(key) AS key FROM "\(table.name)"
          WHERE typeof("\(column.name)") = 'text' AND instr(CAST("\(column.name)" AS BLOB), x'00') > 0
          LIMIT \(Self.namedRows)
          """)
        places += try rows.map { "\(table.name).\(column.name) of the row \(try $0.text("key"))" }
      }
    }
    guard places.isEmpty else { throw MoveError.nullCharacters(places) }
  }

  /// What names a row of a table: its key.
  private func key(of table: String) throws -> String {
    let columns = try connection.rows("SELECT name FROM pragma_table_info('\(table)') WHERE pk > 0 ORDER BY pk")
      .map { "quote(\"\(try $0.text("name"))\")" }
    return columns.isEmpty ? "'number ' || rowid" : columns.joined(separator: " || ', ' || ")
  }
}
