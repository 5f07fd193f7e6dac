package import PostgresClient

/// The record of an unfinished move, in the target database. It is committed before the file is marked, and deleted by
/// the commit of the data: in between no store may start there, with tables of its own.
package enum BegunMove {
  /// The table, which has the move's name.
  package static let table = "onside_move"

  /// Throws if the database is the target of an unfinished move.
  static func requireNone(in tables: [String], path: String) throws {
    if tables.contains(table) { throw DatabaseOpenError.moveBegun(path: path) }
  }

  /// Commits the record, replacing that of an earlier move.
  package static func write(_ token: String, at address: PostgresAddress) throws {
    let connection = try PostgresConnection(address)
    defer { connection.close() }
    try connection.transaction {
      try connection.run(
        script: "CREATE TABLE IF NOT EXISTS \(table)(token TEXT COLLATE \"C\" NOT NULL); DELETE FROM \(table)")
      try connection.query("INSERT INTO \(table)(token) VALUES ($1)", [.text(token)])
    }
  }

  /// Deletes the record if it has this token.
  package static func remove(_ token: String, at address: PostgresAddress) throws {
    let connection = try PostgresConnection(address)
    defer { connection.close() }
    try connection.transaction {
      let found = try connection.query("SELECT token FROM \(table)").rows
      if found == [[.text(token)]] { try connection.run(script: "DROP TABLE \(table)") }
    }
  }
}
