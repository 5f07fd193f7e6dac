package import Foundation

/// The schema state of a database.
package enum SchemaState: Equatable {
  /// There is no table yet.
  case empty
  /// Migrations are missing; the newest that was applied has this number.
  case older(Int)
  /// Every migration was applied.
  case current
}

/// Brings the tables of a database to the newest version, forward only.
package struct MigrationPlan {
  /// The text of a migration for one engine.
  let text: @Sendable (Migration) -> String
  private let migrations: [Migration]

  package init(_ migrations: [Migration], text: @escaping @Sendable (Migration) -> String = { $0.sql }) {
    self.migrations = migrations.sorted { $0.number < $1.number }
    self.text = text
    precondition(Set(migrations.map(\.number)).count == migrations.count, "Two migrations have the same number")
  }

  /// The number of the newest migration: the schema that this program works with.
  package var newest: Int { migrations.last?.number ?? 0 }

  /// How a database stands. Refuses one that this program must not touch. Reads only.
  ///
  /// - Parameter path: the file, or the address, for the errors.
  package func check(_ connection: any SQLConnection, path: String) throws -> SchemaState {
    let tables = try connection.tableNames()
    guard !tables.isEmpty else { return .empty }
    guard tables.contains("schema_migrations") else { throw DatabaseOpenError.notAStore(path: path) }
    let applied = try applied(connection)
    let found = applied.keys.max() ?? 0
    guard found <= newest else { throw DatabaseOpenError.newerVersion(path: path, found: found, known: newest) }
    for migration in migrations {
      guard let found = applied[migration.number], found != checksum(of: migration) else { continue }
      throw DatabaseOpenError.alteredMigration(number: migration.number, name: migration.name)
    }
    return migrations.allSatisfy { applied[$0.number] != nil } ? .current : .older(found)
  }

  /// The schema of a database, which has to be a store's, older or not. Reads only.
  package func schema(of connection: any SQLConnection, path: String) throws -> Int {
    switch try check(connection, path: path) {
    case .empty: throw DatabaseCopyError.empty(path)
    case .older(let found): return found
    case .current: return newest
    }
  }

  /// Applies what is missing, in the connection's transaction. `run` runs several statements.
  package func apply(to connection: any SQLConnection, now: Date, run: (String) throws -> Void) throws {
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS schema_migrations(
        number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL)
      """)
    let applied = try applied(connection)
    for migration in migrations where applied[migration.number] == nil {
      try run(text(migration))
      try connection.execute(
        "INSERT INTO schema_migrations(number, name, checksum, applied_at) VALUES ($1, $2, $3, $4)",
        [.integer(migration.number), .text(migration.name), .text(checksum(of: migration)), .date(now)])
    }
  }

  private func checksum(of migration: Migration) -> String { Migration.checksum(of: text(migration)) }

  private func applied(_ connection: any SQLConnection) throws -> [Int: String] {
    let rows = try connection.rows("SELECT number, checksum FROM schema_migrations")
    return try Dictionary(uniqueKeysWithValues: rows.map { (Int(try $0.integer("number")), try $0.text("checksum")) })
  }
}
