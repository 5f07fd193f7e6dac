import Foundation
import GRDB

extension MigrationPlan {
  /// ``check(_:path:)`` of a file, which must not have been moved to PostgreSQL either.
  @discardableResult
  package func checkUnmoved(_ connection: SQLiteConnection, path: String) throws -> SchemaState {
    let state = try check(connection, path: path)
    try MovedMark.requireNone(in: connection, path: path)
    return state
  }

  /// Gives SQLite the numbers of rows by index for the steps. Without them, a step that changes 70,000 subscriptions
  /// chose an index of few different values, and took more than four minutes.
  private static func analyze(_ connection: SQLiteConnection) throws {
    try connection.execute("PRAGMA analysis_limit = 1000")
    try connection.execute("ANALYZE")
  }

  /// Removes these numbers, also from the connection's memory: the query plans of the serving store do not depend on
  /// the last upgrade.
  private static func forgetAnalysis(_ connection: SQLiteConnection) throws {
    try connection.execute("DELETE FROM sqlite_stat1")
    try connection.execute("ANALYZE sqlite_schema")
    for table in ["sqlite_stat1", "sqlite_stat4"] { try connection.execute("DROP TABLE IF EXISTS \(table)") }
  }

  /// Brings a file's tables to the newest version.
  func apply(to pool: DatabasePool, path: String, now: Date) throws {
    try pool.write { database in
      let connection = SQLiteConnection(database: database)
      // Another process may have migrated since the file was inspected.
      let state = try checkUnmoved(connection, path: path)
      if case .older = state { try Self.analyze(connection) }
      try apply(to: connection, now: now) { try database.execute(sql: $0) }
      if case .older = state { try Self.forgetAnalysis(connection) }
    }
  }
}
