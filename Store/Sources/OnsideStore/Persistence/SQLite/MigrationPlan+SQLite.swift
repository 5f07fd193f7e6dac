import Foundation
import GRDB

extension SQLiteConnection {
  /// The names of all tables.
  func tables() throws -> [String] {
    try rows("SELECT name FROM sqlite_master WHERE type = 'table'").map { try $0.text("name") }
  }
}

extension MigrationPlan {
  /// How a file stands. Refuses one that this program must not touch. Reads only.
  @discardableResult
  func check(_ connection: SQLiteConnection, path: String) throws -> SchemaState {
    let tables = try connection.tables()
    let state = try check(connection, tables: tables, path: path)
    try MovedMark.requireNone(in: connection, tables: tables, path: path)
    return state
  }

  /// Brings a file's tables to the newest version.
  func apply(to pool: DatabasePool, path: String, now: Date) throws {
    try pool.write { database in
      let connection = SQLiteConnection(database: database)
      // Another process may have migrated since the file was inspected.
      try check(connection, path: path)
      try apply(to: connection, now: now) { try database.execute(sql: $0) }
    }
  }
}
