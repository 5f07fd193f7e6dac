import Foundation
import GRDB

/// How the tables of a file stand to the program's.
enum SchemaState: Equatable {
  /// There is no table yet.
  case empty
  /// Migrations are missing; the newest that was applied has this number.
  case older(Int)
  /// Every migration was applied.
  case current
}

/// Brings the tables of a file to the newest version, forward only.
struct MigrationPlan {
  private let migrations: [Migration]

  init(_ migrations: [Migration]) {
    self.migrations = migrations.sorted { $0.number < $1.number }
    precondition(Set(migrations.map(\.number)).count == migrations.count, "Two migrations have the same number")
  }

  /// The number of the newest migration: the schema that this program works with.
  var newest: Int { migrations.last?.number ?? 0 }

  /// How a file stands. Refuses one that this program must not touch. Reads only.
  @discardableResult
  func check(_ connection: SQLiteConnection, path: String) throws -> SchemaState {
    let tables = try connection.rows("SELECT name FROM sqlite_master WHERE type = 'table'").map { try $0.text("name") }
    guard !tables.isEmpty else { return .empty }
    guard tables.contains("schema_migrations") else { throw DatabaseOpenError.notAStore(path: path) }
    let applied = try applied(connection)
    let found = applied.keys.max() ?? 0
    guard found <= newest else { throw DatabaseOpenError.newerVersion(path: path, found: found, known: newest) }
    for migration in migrations {
      guard let checksum = applied[migration.number], checksum != migration.checksum else { continue }
      throw DatabaseOpenError.alteredMigration(number: migration.number, name: migration.name)
    }
    return migrations.allSatisfy { applied[$0.number] != nil } ? .current : .older(found)
  }

  func apply(to pool: DatabasePool, path: String, now: Date) throws {
    try pool.write { database in
      let connection = SQLiteConnection(database: database)
      // Another process may have migrated since the file was inspected.
      try check(connection, path: path)
      try connection.execute(
        """
        CREATE TABLE IF NOT EXISTS schema_migrations(
          number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL)
        """)
      let applied = try applied(connection)
      for migration in migrations where applied[migration.number] == nil {
        try database.execute(sql: migration.sql)
        try connection.execute(
          "INSERT INTO schema_migrations(number, name, checksum, applied_at) VALUES ($1, $2, $3, $4)",
          [.integer(migration.number), .text(migration.name), .text(migration.checksum), .date(now)])
      }
    }
  }

  private func applied(_ connection: SQLiteConnection) throws -> [Int: String] {
    let rows = try connection.rows("SELECT number, checksum FROM schema_migrations")
    return try Dictionary(uniqueKeysWithValues: rows.map { (Int(try $0.integer("number")), try $0.text("checksum")) })
  }
}
