import Foundation
import GRDB

extension MigrationPlan {
  /// ``check(_:path:)`` of a file, which must not have been moved to PostgreSQL either.
  @discardableResult
  func checkUnmoved(_ connection: SQLiteConnection, path: String) throws -> SchemaState {
    let state = try check(connection, path: path)
    try MovedMark.requireNone(in: connection, path: path)
    return state
  }

  /// Brings a file's tables to the newest version.
  func apply(to pool: DatabasePool, path: String, now: Date) throws {
    try pool.write { database in
      let connection = SQLiteConnection(database: database)
      // Another process may have migrated since the file was inspected.
      try checkUnmoved(connection, path: path)
      try apply(to: connection, now: now) { try database.execute(sql: $0) }
    }
  }
}
